// Launch shape: the host folds grids of more than 65,535 workgroups into two dimensions.

/// The number of this workgroup in the unfolded grid.
fn workgroup_number(id: vec3u, grid: vec3u) -> u32 {
  return id.x + id.y * grid.x;
}
