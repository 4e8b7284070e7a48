//! Counts the calls of operators: with what, where, in which phase, how often.

use laptime_ops::{Argument, Event, ModuleId, Phase, Repeat, Tensor};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};

use super::super::feed::Feed;
use super::capture::Unread;
use super::dispatch::TorchDispatch;
use super::operator::Operator;

use crate::interned::intern;

impl TorchDispatch {
    /// Counts a call that was run.
    pub(super) fn take(
        this: &Bound<'_, Self>,
        operator: &Operator,
        arguments: &Bound<'_, PyTuple>,
        keywords: Option<&Bound<'_, PyDict>>,
        out: &Bound<'_, PyAny>,
    ) -> PyResult<()> {
        let python = this.py();
        let read = this
            .get()
            .read(operator, arguments, keywords, out, this.as_any());
        if let Err(Unread::Raised(error)) = read {
            return Err(error);
        }
        if read.is_err() {
            // Python may know its parts.
            let (function, name) = (&operator.function, intern!(python, "parts"));
            let recorded = this.call_method1(name, (function, arguments, keywords, out))?;
            if recorded.is_truthy()? {
                return Ok(());
            }
        }
        let is_sized = read.is_ok();
        let (arguments, outputs) = read.unwrap_or_default();
        let event = Event::new(operator.signature.clone(), arguments, outputs);
        if is_sized {
            return Self::enter_event(this, event);
        }
        let (feed, event) = Self::placed(this, event)?;
        let mut feed = feed.bind(python).try_borrow_mut()?;
        feed.take_uncounted(&event, "its sizes depend on data");
        Ok(())
    }

    /// Counts a call whose sizes are known.
    pub(super) fn enter_event(this: &Bound<'_, Self>, event: Event) -> PyResult<()> {
        let python = this.py();
        let (feed, event) = Self::placed(this, event)?;
        feed.bind(python).try_borrow_mut()?.take(event);
        Ok(())
    }

    /// A call with its place and moment, and where it is counted.
    fn placed(this: &Bound<'_, Self>, event: Event) -> PyResult<(Py<Feed>, Event)> {
        let python = this.py();
        let (phase, module) = this.get().here(python)?;
        let state = this.get().state();
        let repeat = state.loops.iter().try_fold(1_u64, |all, rounds| {
            rounds.map(|rounds| all.saturating_mul(rounds))
        });
        let event = Event {
            module,
            phase,
            repeat: repeat.map_or(Repeat::Unknown, Repeat::Times),
            ..event
        };
        Ok((state.feed.clone_ref(python), event))
    }

    /// What a call was given and returned.
    pub(super) fn read(
        &self,
        operator: &Operator,
        arguments: &Bound<'_, PyTuple>,
        keywords: Option<&Bound<'_, PyDict>>,
        out: &Bound<'_, PyAny>,
        slow: &Bound<'_, PyAny>,
    ) -> Result<(Vec<Argument>, Vec<Tensor>), Unread> {
        let mut outputs = Vec::new();
        self.capture.outputs(out, slow, &mut outputs)?;
        if operator.signature.is_view {
            return Ok((Vec::new(), outputs));
        }
        let mut read = Vec::with_capacity(arguments.len());
        for value in arguments.iter_borrowed() {
            read.push(self.capture.argument(&value, slow)?);
        }
        for (name, value) in keywords.into_iter().flatten() {
            let names = &operator.signature.arguments;
            let index = names
                .iter()
                .position(|known| name.eq(known).unwrap_or(false));
            if let Some(index) = index {
                read.resize(read.len().max(index + 1), Argument::Absent);
                read[index] = self.capture.argument(&value, slow)?;
            }
        }
        Ok((read, outputs))
    }

    /// The phase and the module of this moment.
    pub(super) fn here(&self, python: Python<'_>) -> PyResult<(Phase, ModuleId)> {
        let is_backward = self.moment.is_backward(python)?;
        let (forced, records) = {
            let state = self.state();
            if !is_backward {
                let phase = state.phase.unwrap_or_default();
                return Ok((phase, state.places.current()));
            }
            (state.phase, state.records)
        };
        let phase = match forced {
            Some(phase) => phase,
            None => self.moment.backward(python, records)?,
        };
        if phase == Phase::Recompute
            && let Some(module) = self.state().places.current_in_backward()
        {
            return Ok((phase, module));
        }
        let node = self.moment.node(python)?;
        let places = &self.state().places;
        Ok((
            phase,
            node.map_or(ModuleId::ROOT, |node| places.of_node(node)),
        ))
    }
}
