// Launch shape: grids of more than 65,535 workgroups are folded into two dimensions by the host.

/// The number of this workgroup in the unfolded grid.
fn workgroup_number(id: vec3u, grid: vec3u) -> u32 {
  return id.x + id.y * grid.x;
}
