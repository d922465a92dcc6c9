//! Where costs put their residuals.
//!
//! A cost is a sum of squares, weight · |ρ|². It gives ρ and its vector-Jacobian
//! product as a function. From this one description come the gradient, for L-BFGS
//! ([`GradientSink`]), and the normal equations, for Levenberg-Marquardt
//! ([`NormalEquations`]).

use super::{FRAME, FrameGradient, Layout, Moment, MomentGradient, MotionState};
use conatus_math::banded::BlockTridiagonal;

/// Takes residuals of one moment.
pub trait ResidualSink {
    /// The cost weight · |ρ|². ρ depends on `frames` and `contacts` only; `vjp` adds
    /// seedᵀ ∂ρ to their gradients.
    fn rows(
        &mut self,
        weight: f64,
        residual: &[f64],
        frames: &[usize],
        contacts: &[usize],
        vjp: impl Fn(&[f64], &mut MomentGradient),
    );
}

/// Sums up costs and their gradient.
#[derive(Default)]
pub struct GradientSink {
    /// The sum of the costs so far.
    pub cost: f64,
    /// Its derivatives by everything at the present moment.
    pub local: MomentGradient,
    seed: Vec<f64>,
}

impl GradientSink {
    /// An empty sum.
    pub fn new(layout: &Layout) -> Self {
        Self {
            cost: 0.0,
            local: MomentGradient::new(layout.frames, layout.contacts),
            seed: Vec::new(),
        }
    }

    /// Adds the gradient of the present moment to that of all unknowns, and clears it
    /// for the next moment.
    pub fn flush(
        &mut self,
        layout: &Layout,
        moment: &Moment,
        state: &MotionState,
        out: &mut [f64],
    ) {
        let mut knots = [0.0; 2 * FRAME];
        let starts = [0, 1].map(|knot| layout.frame(moment.segment + knot, 0));
        for frame in 0..layout.frames {
            state.to_knots(layout, moment, frame, &self.local.frames[frame], &mut knots);
            for (knot, start) in starts.iter().enumerate() {
                if let Some(start) = start {
                    let at = start + frame * FRAME;
                    let from = &knots[knot * FRAME..][..FRAME];
                    out[at..at + FRAME]
                        .iter_mut()
                        .zip(from)
                        .for_each(|(o, k)| *o += k);
                }
            }
            self.local.frames[frame] = FrameGradient::ZERO;
        }
        let at = layout.contact(moment.phase, 0);
        for (k, by_contact) in self.local.contacts.iter_mut().enumerate() {
            out[at + k] += *by_contact;
            *by_contact = 0.0;
        }
    }
}

impl ResidualSink for GradientSink {
    #[inline]
    fn rows(
        &mut self,
        weight: f64,
        residual: &[f64],
        _: &[usize],
        _: &[usize],
        vjp: impl Fn(&[f64], &mut MomentGradient),
    ) {
        let square: f64 = residual.iter().map(|r| r * r).sum();
        if square == 0.0 {
            return;
        }
        self.cost += weight * square;
        self.seed.clear();
        self.seed.extend(residual.iter().map(|r| 2.0 * weight * r));
        vjp(&self.seed, &mut self.local);
    }
}

/// Sums up costs alone.
#[derive(Default)]
pub struct CostSum(pub f64);

impl ResidualSink for CostSum {
    #[inline]
    fn rows(
        &mut self,
        weight: f64,
        residual: &[f64],
        _: &[usize],
        _: &[usize],
        _: impl Fn(&[f64], &mut MomentGradient),
    ) {
        self.0 += weight * residual.iter().map(|r| r * r).sum::<f64>();
    }
}

/// Collects normal equations JᵀJ and Jᵀρ of residuals √weight · ρ.
pub struct NormalEquations<'a> {
    /// Half the sum of the costs so far, as least squares have it.
    pub cost: f64,
    /// Jᵀρ.
    pub gradient: &'a mut [f64],
    layout: &'a Layout,
    moment: Moment,
    state: &'a MotionState,
    local: &'a mut MomentGradient,
    scratch: &'a mut RowBuffer,
}

/// Buffered rows: those of a segment that depend on the same unknowns are added to the
/// matrix together, which takes much less time.
#[derive(Clone, Debug, Default)]
pub struct RowBuffer {
    bins: Vec<Bin>,
    /// How many of the bins are in use.
    used: usize,
    segment: usize,
    seed: Vec<f64>,
}

/// Rows that depend on the same unknowns.
#[derive(Clone, Debug, Default)]
struct Bin {
    frames: Vec<usize>,
    contacts: Vec<usize>,
    unknowns: Vec<usize>,
    /// The index of the frames among `unknowns`: at the first knot of the segment, unless
    /// that is the start, and at the second.
    places: [Option<usize>; 2],
    /// The index of the contacts among `unknowns`.
    contacts_at: usize,
    numbers: Vec<f64>,
}

impl Bin {
    fn reset(&mut self, layout: &Layout, moment: &Moment, frames: &[usize], contacts: &[usize]) {
        self.frames.clear();
        self.frames.extend_from_slice(frames);
        self.contacts.clear();
        self.contacts.extend_from_slice(contacts);
        self.numbers.clear();
        let unknowns = &mut self.unknowns;
        unknowns.clear();
        let host = moment.phase * layout.segments;
        for (knot, place) in self.places.iter_mut().enumerate() {
            let number = moment.segment + knot;
            let start = layout.frame(number, 0);
            *place = start.map(|_| unknowns.len());
            if let Some(start) = start {
                for frame in frames {
                    let at = start + frame * FRAME;
                    unknowns.extend(at..at + FRAME);
                }
            }
            // Contacts are in the block of the knot at which the first segment of
            // their phase ends.
            if number == host + 1 {
                self.contacts_at = unknowns.len();
                unknowns.extend(contacts.iter().map(|&c| layout.contact(moment.phase, c)));
            }
        }
    }
}

impl RowBuffer {
    /// Adds all buffered rows to the matrix.
    pub fn flush(&mut self, matrix: &mut BlockTridiagonal) {
        for bin in &self.bins[..self.used] {
            if !bin.unknowns.is_empty() {
                matrix.add_rows(&bin.unknowns, &bin.numbers);
            }
        }
        self.used = 0;
    }

    /// The bin of rows that depend on these.
    fn bin(
        &mut self,
        layout: &Layout,
        moment: &Moment,
        frames: &[usize],
        contacts: &[usize],
    ) -> (&mut Bin, &mut Vec<f64>) {
        let fits = |bin: &Bin| bin.frames == frames && bin.contacts == contacts;
        let found = self.bins[..self.used].iter().position(fits);
        let at = found.unwrap_or(self.used);
        if found.is_none() {
            if self.used == self.bins.len() {
                self.bins.push(Bin::default());
            }
            self.bins[at].reset(layout, moment, frames, contacts);
            self.used += 1;
        }
        (&mut self.bins[at], &mut self.seed)
    }
}

impl<'a> NormalEquations<'a> {
    /// Ready for the residuals of one moment. The matrix is complete after
    /// [`RowBuffer::flush`].
    pub fn new(
        layout: &'a Layout,
        moment: &Moment,
        state: &'a MotionState,
        (gradient, matrix): (&'a mut [f64], &'a mut BlockTridiagonal),
        (local, scratch): (&'a mut MomentGradient, &'a mut RowBuffer),
    ) -> Self {
        if scratch.segment != moment.segment {
            scratch.flush(matrix);
            scratch.segment = moment.segment;
        }
        Self {
            cost: 0.0,
            gradient,
            layout,
            moment: *moment,
            state,
            local,
            scratch,
        }
    }
}

impl ResidualSink for NormalEquations<'_> {
    fn rows(
        &mut self,
        weight: f64,
        residual: &[f64],
        frames: &[usize],
        contacts: &[usize],
        vjp: impl Fn(&[f64], &mut MomentGradient),
    ) {
        let square: f64 = residual.iter().map(|r| r * r).sum();
        // A cost with zero weight, or a one-sided one that is inactive.
        if weight == 0.0 || square == 0.0 && residual.len() == 1 {
            return;
        }
        self.cost += 0.5 * weight * square;
        let root = weight.sqrt();
        let (layout, moment) = (self.layout, &self.moment);
        let (bin, seed) = self.scratch.bin(layout, moment, frames, contacts);
        let (places, contacts_at) = (bin.places, bin.contacts_at);
        let (unknowns, numbers) = (&bin.unknowns, &mut bin.numbers);
        if unknowns.is_empty() {
            return;
        }
        let before = numbers.len();
        numbers.resize(before + residual.len() * unknowns.len(), 0.0);
        seed.clear();
        seed.resize(residual.len(), 0.0);
        let mut knots = [0.0; 2 * FRAME];
        for (k, row) in numbers[before..]
            .chunks_exact_mut(unknowns.len())
            .enumerate()
        {
            for &frame in frames {
                self.local.frames[frame] = FrameGradient::ZERO;
            }
            for &contact in contacts {
                self.local.contacts[contact] = 0.0;
            }
            seed[k] = root;
            vjp(seed, self.local);
            seed[k] = 0.0;
            for (i, &frame) in frames.iter().enumerate() {
                let gradient = &self.local.frames[frame];
                self.state
                    .to_knots(layout, moment, frame, gradient, &mut knots);
                for (knot, place) in places.iter().enumerate() {
                    if let Some(place) = place {
                        row[place + i * FRAME..][..FRAME]
                            .copy_from_slice(&knots[knot * FRAME..][..FRAME]);
                    }
                }
            }
            for (into, &contact) in row[contacts_at..].iter_mut().zip(contacts) {
                *into = self.local.contacts[contact];
            }
            let scaled = root * residual[k];
            for (&at, value) in unknowns.iter().zip(row.iter()) {
                self.gradient[at] += scaled * value;
            }
        }
    }
}
