//! Reports progress to the caller, and passes on its request to stop.

use conatus_math::minimise::Iteration;
use std::cell::Cell;
use std::ops::ControlFlow;

/// Where an attempt is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StageProgress {
    /// The stage; [`STAGES`](super::STAGES) has its name.
    pub stage: usize,
    /// Iterations made within the stage.
    pub iteration: usize,
    /// The cost; infinite before the first iteration.
    pub cost: f64,
}

/// Called at every iteration. It is also called several times within every long
/// evaluation, with the progress of the last iteration, so that a break takes effect
/// within milliseconds.
pub type Watcher<'a> = dyn Fn(&StageProgress) -> ControlFlow<()> + 'a;

/// The progress of one attempt. After the watcher has broken once it is not called any
/// more.
pub(super) struct Monitor<'a> {
    watch: &'a Watcher<'a>,
    last: Cell<StageProgress>,
    /// Iterations of earlier minimisations of the same stage.
    before: Cell<usize>,
    stopped: Cell<bool>,
}

impl<'a> Monitor<'a> {
    pub fn new(watch: &'a Watcher<'a>) -> Self {
        Self {
            watch,
            last: Cell::new(StageProgress {
                stage: 0,
                iteration: 0,
                cost: f64::INFINITY,
            }),
            before: Cell::new(0),
            stopped: Cell::new(false),
        }
    }

    /// A minimisation begins, after `before` iterations of the same stage.
    pub fn begin(&self, stage: usize, before: usize) {
        self.before.set(before);
        let last = self.last.get();
        self.last.set(StageProgress {
            stage,
            iteration: before,
            ..last
        });
    }

    /// A minimiser made an iteration.
    pub fn iteration(&self, iteration: &Iteration) -> ControlFlow<()> {
        let last = self.last.get();
        self.last.set(StageProgress {
            iteration: self.before.get() + iteration.number,
            cost: iteration.value,
            ..last
        });
        self.poll()
    }

    /// Calls the watcher, which may stop the search.
    pub fn poll(&self) -> ControlFlow<()> {
        if self.stopped.get() {
            return ControlFlow::Break(());
        }
        let flow = (self.watch)(&self.last.get());
        self.stopped.set(flow.is_break());
        flow
    }

    /// Whether the watcher has broken.
    pub fn is_stopped(&self) -> bool {
        self.stopped.get()
    }
}
