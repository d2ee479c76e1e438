/// Whether `holds` returns true before `limit` has passed. It is called again after each `pause`.
/// The default limit is long: only a test that fails waits for it, and a busy machine can stop a
/// program for seconds.
/// - Throws: what `holds` throws; `CancellationError`.
package func eventually(
    within limit: Duration = .seconds(60), every pause: Duration = .milliseconds(20),
    _ holds: () async throws -> Bool
) async throws -> Bool {
    let clock = ContinuousClock()
    let deadline = clock.now + limit
    while clock.now < deadline {
        if try await holds() { return true }
        try await Task.sleep(for: pause)
    }
    return try await holds()
}
