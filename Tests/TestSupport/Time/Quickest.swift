/// The quickest of some tries, up to the first that is quicker than `limit`. A busy machine makes
/// any one of them late; what is slow by itself is so in all of them.
/// - Parameter triesMax: The most that are made.
package func quickest(
    under limit: Duration, of triesMax: Int = 5, _ measure: () async throws -> Duration
) async throws -> Duration {
    var quickest = try await measure()
    for _ in 1..<triesMax where quickest >= limit { quickest = min(quickest, try await measure()) }
    return quickest
}
