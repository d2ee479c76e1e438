import Contracts
import Messages
import RPC
import ServiceRuntime

/// `postern.session.v1.SessionEnds`: the revocation feed (S-06).
struct SessionEndsHandler: SessionEndsService {
    let log: RevocationLog
    let time: any Time

    /// Streams revocations and key changes until the follower leaves.
    func watchRevocations(
        _ request: SessionV1.WatchRevocationsRequest,
        _ items: OutgoingItems<SessionV1.WatchRevocationsItem>,
        _ context: CallContext
    ) async throws {
        try await log.serve(request, items, time)
    }
}
