import ServiceRuntime
import Testing

/// Expects a call of a story to fail, and returns its error of the catalogue.
func refusal<Value>(
    _ call: () async throws -> Value, sourceLocation: SourceLocation = #_sourceLocation
) async throws -> ServiceError {
    do {
        _ = try await call()
    } catch let error as ServiceError {
        return error
    }
    return try #require(nil as ServiceError?, "the call succeeded", sourceLocation: sourceLocation)
}
