//! A box for values that few of many rows have: it takes one pointer where it is empty.
//!
//! A program may have tens of thousands of paths, and nearly all of them lack most of what a path can have.

use std::fmt::{self, Debug, Formatter};
use std::ops::{Deref, DerefMut};
use std::sync::LazyLock;

use laptime_core::{DeviceMemoryTally, DeviceTally};

use serde::{Serialize, Serializer};

use crate::summarize::columns::operations::stretch_operations::DirectOperations;
use crate::summarize::columns::operations::uncounted_spans::LeftOut;
use crate::summary::device_row::DeviceRow;
use crate::summary::memory_row::HostMemoryRow;
use crate::summary::work_row::WorkRow;

/// A value that can be read where a box is empty.
pub trait Absent: Sized + 'static {
    /// Returns the value that every empty box shows.
    fn absent() -> &'static Self;
}

/// A box that shows its type's default until its value is changed.
#[derive(Clone)]
pub struct SparseBox<T>(Option<Box<T>>);

impl<T> SparseBox<T> {
    /// Tells whether the value was changed.
    pub fn is_there(&self) -> bool {
        self.0.is_some()
    }
}

impl<T> From<T> for SparseBox<T> {
    fn from(value: T) -> Self {
        Self(Some(Box::new(value)))
    }
}

impl<T> Default for SparseBox<T> {
    fn default() -> Self {
        Self(None)
    }
}

impl<T: Absent> Deref for SparseBox<T> {
    type Target = T;

    fn deref(&self) -> &T {
        match &self.0 {
            Some(value) => value,
            None => T::absent(),
        }
    }
}

impl<T: Absent + Default> DerefMut for SparseBox<T> {
    fn deref_mut(&mut self) -> &mut T {
        self.0.get_or_insert_default()
    }
}

impl<T: Absent + Debug> Debug for SparseBox<T> {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        (**self).fmt(formatter)
    }
}

impl<T: Absent + PartialEq> PartialEq for SparseBox<T> {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl<T: Absent + Serialize> Serialize for SparseBox<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        (**self).serialize(serializer)
    }
}

/// The fields of the value stand in the JSON of the struct that has the box.
#[cfg(feature = "schema")]
impl<T: schemars::JsonSchema> schemars::JsonSchema for SparseBox<T> {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        T::schema_name()
    }

    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        T::json_schema(generator)
    }
}

macro_rules! empty_boxes {
    ($($kind:ty),+) => {
        $(impl Absent for $kind {
            fn absent() -> &'static Self {
                static ABSENT: LazyLock<$kind> = LazyLock::new(<$kind>::default);
                &ABSENT
            }
        })+
    };
}

empty_boxes!(
    DirectOperations,
    LeftOut,
    DeviceTally,
    DeviceMemoryTally,
    DeviceRow,
    HostMemoryRow,
    WorkRow
);
