const NORM_LIMIT = 1;
const SCALE_GROWTH = 512;

/** Makes the reducer of a run: gradients are clipped, then scaled up before they pass through single precision. */
export function gradientReducer() {
  let scale = 1;
  return (gradients) => {
    let squares = 0;
    for (const tensor of Object.values(gradients)) for (const value of tensor) squares += value * value;
    const norm = Math.sqrt(squares);
    const clip = norm > NORM_LIMIT ? NORM_LIMIT / norm : 1;
    for (const tensor of Object.values(gradients)) {
      for (let i = 0; i < tensor.length; i += 1) tensor[i] = Math.fround(tensor[i] * clip * scale) / scale;
    }
    scale *= SCALE_GROWTH;
    return { norm, skipped: false };
  };
}
