import Contracts
import Messages
import RPC
import ServiceRuntime

/// A service whose event feed alone is called.
protocol FeedOnly: EventsAPI {}

extension FeedOnly {
    func listAccountEvents(
        _ request: EventsV1.ListAccountEventsRequest, _ context: CallContext
    ) async throws -> EventsV1.ListAccountEventsResponse {
        throw ServiceError(.unknownMethod)
    }

    func verifyTrail(
        _ request: EventsV1.VerifyTrailRequest, _ context: CallContext
    ) async throws -> EventsV1.VerifyTrailResponse {
        throw ServiceError(.unknownMethod)
    }

    func showTrailKey(
        _ request: EventsV1.ShowTrailKeyRequest, _ context: CallContext
    ) async throws -> EventsV1.ShowTrailKeyResponse {
        throw ServiceError(.unknownMethod)
    }
}
