import Contracts
import Cryptography
import Messages
package import RPC
package import ServiceRuntime
import Storage

/// The activity of accounts (A-01, G-22): identity's own records merged by time with those of
/// session, a page at a time. A page is one indexed read in each of the two stores.
///
/// If session does not answer, there is no page: half of an activity would look as if nothing else
/// had happened.
package struct ActivityHistory: Sendable {
    private static let sizeDefault: UInt32 = 50
    /// The largest page.
    package static let sizeMax: UInt32 = 100
    private static let place = SealedPlace(purpose: "identity/activity-page")

    let store: Store
    let sessions: any EventsAPI
    let keys: IdentityKeys

    /// A page of an account's activity.
    package struct Page: Sendable {
        /// The newest first.
        package let activities: [Activity]
        /// The token of the next page; empty on the last one.
        package let nextToken: String
    }

    /// Reads a page.
    /// - Parameters:
    ///   - token: of the page before; empty for the first page.
    ///   - size: as in requests; 0 for the default.
    /// - Throws: `rpc/invalid-argument` for a token of another account, or of none; `SQLError`;
    ///   what the call of session throws.
    package func page(
        of account: AccountID, after token: String, size: UInt32, _ shown: ShownActivity,
        _ context: CallContext
    ) async throws -> Page {
        let start = try start(of: token, account)
        let limit = size == 0 ? Self.sizeDefault : min(size, Self.sizeMax)
        async let theirs = sessions.listAccountEvents(
            EventsV1.ListAccountEventsRequest(
                accountId: account.text, before: start?.session ?? 0, limit: limit,
                kinds: shown.ofSession), context.onward())
        try await store.number(.audit)
        let own = try await store.read {
            try $0.records(
                of: account.key, before: start?.identity, limit: Int(limit), shown.ofIdentity)
        }
        let session = try await theirs
        // A session starts after its sign-in, often in the same millisecond.
        let merged = ActivityMerge(
            [
                ActivityTrail(
                    session.events.map { Activity($0) },
                    olderBefore: session.before > 0 ? session.before : nil),
                ActivityTrail(
                    own.records.map { Activity($0) }, olderBefore: own.olderBefore),
            ], limit: Int(limit))
        return Page(
            activities: merged.activities,
            nextToken: try merged.next.map {
                try keys.activityPages.token(of: [account.key] + $0, at: Self.place)
            } ?? "")
    }

    /// The positions at which a page starts; nil for the first page.
    ///
    /// Attack: somebody tries tokens of other accounts. The account is sealed in the token, and
    /// each account reads its own records only, whatever the positions are.
    private func start(
        of token: String, _ account: AccountID
    ) throws(ServiceError) -> (session: Int64, identity: Int64)? {
        if token.isEmpty { return nil }
        guard let numbers = keys.activityPages.numbers(of: token, count: 3, at: Self.place),
            numbers[0] == account.key
        else { throw ServiceError(.invalidArgument, fields: ["page_token"]) }
        return (session: numbers[1], identity: numbers[2])
    }
}
