//! placeholder
use crate::args::Demo;
use crate::failure::Failure;
use crate::world::World;
pub fn run(_args: &Demo, _world: &World) -> Result<u8, Failure> { Ok(0) }
