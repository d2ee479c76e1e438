import Testing

/// Polls until a condition holds, since the programs do not report when it does.
/// - Returns: whether the condition held within `limit`.
func eventually(
    within limit: Duration = .seconds(20), _ holds: () async throws -> Bool
) async throws -> Bool {
    let clock = ContinuousClock()
    let deadline = clock.now + limit
    while clock.now < deadline {
        if try await holds() { return true }
        try await Task.sleep(for: .milliseconds(20))
    }
    return try await holds()
}
