import ServiceRuntime

/// Repeats `attempt` while the account changes during it. A hash takes long enough for a concurrent
/// sign-in to upgrade the account's hash, or for a reset to replace its password, so each flow
/// compares the account in its transaction with the one that it checked.
/// - Parameter attempt: Returns nil if the account changed.
/// - Throws: What `attempt` throws; `rpc/unavailable` if the account changed during every attempt.
func untilUnchanged<Value>(_ attempt: () async throws -> Value?) async throws -> Value {
    for _ in 0..<3 {
        if let value = try await attempt() { return value }
    }
    throw ServiceError(.unavailable, detail: "the account changed during every attempt")
}
