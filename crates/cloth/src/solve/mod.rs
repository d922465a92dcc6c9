//! The linear systems of implicit steps: a matrix of fixed pattern, and two
//! ways to solve with it.

pub mod cholesky;
pub mod dissection;
mod knots;
pub mod matrix;
pub mod parts;
pub mod pcg;

/// Which method solves the linear system of an implicit step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Solver {
    /// Conjugate gradients, and sparse Cholesky when these do not converge. They win
    /// by far at every size and step that animations use, so nothing else is
    /// asked.
    #[default]
    Auto,
    /// Conjugate gradients only.
    Pcg,
    /// Sparse Cholesky factorisation only: exact, at several times the cost.
    Cholesky,
}
