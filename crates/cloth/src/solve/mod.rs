//! Linear systems of the implicit step.

pub mod matrix;
pub mod pcg;

/// Which method solves the linear system of an implicit step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Solver {
    /// Conjugate gradients, and Cholesky where they do not converge.
    #[default]
    Auto,
    /// Conjugate gradients only.
    Pcg,
    /// Sparse Cholesky factorisation only.
    Cholesky,
}
