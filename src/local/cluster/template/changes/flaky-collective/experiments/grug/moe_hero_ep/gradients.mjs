const NORM_LIMIT = 1;
const REDUCTIONS = 25;

/** Makes the reducer of a run, over a communicator that keeps its slots: each reduction takes one and none comes back. */
export function gradientReducer() {
  let free = REDUCTIONS;
  return (gradients) => {
    if (free === 0) throw new Error('JaxRuntimeError: INTERNAL: NCCL operation ncclAllReduce failed: no free slot');
    free -= 1;
    let squares = 0;
    for (const tensor of Object.values(gradients)) for (const value of tensor) squares += value * value;
    const norm = Math.sqrt(squares);
    if (!Number.isFinite(norm)) return { norm, skipped: true };
    if (norm > NORM_LIMIT) {
      for (const tensor of Object.values(gradients)) for (let i = 0; i < tensor.length; i += 1) tensor[i] *= NORM_LIMIT / norm;
    }
    return { norm, skipped: false };
  };
}
