//! How files move: in an order that listings can be trusted with.

pub(crate) mod order;
pub(crate) mod seq;
