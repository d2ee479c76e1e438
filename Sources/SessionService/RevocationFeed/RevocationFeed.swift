import Contracts
package import Messages
package import RPC
import ServiceRuntime

/// Tells followers of ends and of changed keys (S-06).
package struct RevocationFeed: SessionEndsService {
    let log: RevocationLog

    package func watchEnds(
        _ request: SessionV1.WatchEndsRequest, _ items: OutgoingItems<SessionV1.WatchEndsItem>,
        _ context: CallContext
    ) async throws {
        try await log.serve(request, items)
    }
}
