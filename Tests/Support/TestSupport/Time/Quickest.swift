/// Repeats a measurement until one result is below `limit`, and returns the smallest. A busy
/// machine can delay any single one; code that is itself slow is slow in all of them.
/// - Parameter triesMax: The maximum number of measurements.
/// - Throws: what `measure` throws.
package func quickest(
    under limit: Duration, of triesMax: Int = 5, _ measure: () async throws -> Duration
) async throws -> Duration {
    var quickest = try await measure()
    for _ in 1..<triesMax where quickest >= limit { quickest = min(quickest, try await measure()) }
    return quickest
}
