import Contracts
package import Messages
package import RPC
import ServiceRuntime

/// Streams revocations and key changes to followers (S-06).
package struct RevocationFeed: SessionEndsService {
    let log: RevocationLog

    /// Streams revocations until the follower leaves.
    /// - Throws: `ServiceError` when the call is over.
    package func watchEnds(
        _ request: SessionV1.WatchEndsRequest, _ items: OutgoingItems<SessionV1.WatchEndsItem>,
        _ context: CallContext
    ) async throws {
        try await log.serve(request, items)
    }
}
