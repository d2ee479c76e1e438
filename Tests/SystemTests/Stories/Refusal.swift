import ServiceRuntime
import Testing

/// The catalogue's error that a call of a story ends with.
func refusal<Value>(
    _ call: () async throws -> Value, sourceLocation: SourceLocation = #_sourceLocation
) async throws -> ServiceError {
    do {
        _ = try await call()
    } catch let error as ServiceError {
        return error
    }
    return try #require(nil as ServiceError?, "nothing was refused", sourceLocation: sourceLocation)
}
