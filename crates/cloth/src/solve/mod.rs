//! The linear systems of implicit steps: a matrix of fixed pattern, and two
//! solvers.

pub mod cholesky;
mod contact_rows;
pub mod dissection;
pub mod matrix;
pub mod parts;
pub mod pcg;

/// The solver of the linear system of an implicit step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Solver {
    /// Conjugate gradients, and sparse Cholesky if they do not converge. They
    /// are faster at every size and step that animations use, so Cholesky is
    /// never tried first.
    #[default]
    Auto,
    /// Conjugate gradients only.
    Pcg,
    /// Sparse Cholesky factorisation only: exact, at several times the cost.
    Cholesky,
}
