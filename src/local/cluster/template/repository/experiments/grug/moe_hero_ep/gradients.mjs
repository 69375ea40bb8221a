const NORM_LIMIT = 1;

/** Makes the reducer of a run: it clips gradients in place by their global norm and tells whether the update is to be skipped. */
export function gradientReducer() {
  return (gradients) => {
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
