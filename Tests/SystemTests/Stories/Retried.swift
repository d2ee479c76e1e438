import ServiceRuntime
import TestSupport

/// Repeats a call until it succeeds, as an app does while a service or the network is away.
/// - Throws: the error of a call that a repeat cannot help, or the last one.
func retried<Value>(_ call: () async throws -> Value) async throws -> Value {
    var (value, last): (Value?, any Error) = (nil, ClusterError(message: "no call was made"))
    _ = try await eventually {
        do {
            value = try await call()
            return true
        } catch let error as ServiceError
            where error.code.entry.isRetryable || error.code == .internalError
        {
            last = error
        } catch let error as ClusterError {
            // Nothing answered.
            last = error
        }
        return false
    }
    guard let value else { throw last }
    return value
}
