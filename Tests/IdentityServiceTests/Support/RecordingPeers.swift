import Contracts
import Messages
import RPC
import ServiceRuntime
import Synchronization
import TestSupport

/// A session service without any activity.
struct NoActivity: AccountActivityAPI {
    func getAccountActivity(
        _ request: SessionV1.GetAccountActivityRequest, _ context: CallContext
    ) async throws -> SessionV1.GetAccountActivityResponse { .init(activity: .init()) }

    func listAccountActivity(
        _ request: SessionV1.ListAccountActivityRequest, _ context: CallContext
    ) async throws -> SessionV1.ListAccountActivityResponse {
        .init(activities: request.accountIds.map { _ in .init() })
    }
}

/// A session service with the activity that it is given, and none of other accounts.
final class GivenActivity: AccountActivityAPI {
    private struct State {
        var activities: [String: GatewayV1.AccountActivity] = [:]
        var failure: ErrorCode?
        var calls = 0
    }

    private let state = Mutex(State())

    /// The number of calls.
    var calls: Int { state.withLock { $0.calls } }

    /// From now on reports this of an account.
    func set(_ account: String, _ activity: GatewayV1.AccountActivity) {
        state.withLock { $0.activities[account] = activity }
    }

    /// From now on calls fail with this code; nil for none.
    func fail(_ code: ErrorCode?) { state.withLock { $0.failure = code } }

    func getAccountActivity(
        _ request: SessionV1.GetAccountActivityRequest, _ context: CallContext
    ) async throws -> SessionV1.GetAccountActivityResponse { throw ServiceError(.unknownMethod) }

    func listAccountActivity(
        _ request: SessionV1.ListAccountActivityRequest, _ context: CallContext
    ) async throws -> SessionV1.ListAccountActivityResponse {
        try state.withLock { state in
            state.calls += 1
            if let failure = state.failure { throw ServiceError(failure) }
            return .init(
                activities: request.accountIds.map { state.activities[$0] ?? .init() })
        }
    }
}

/// A session service whose trail has the events that it is given.
final class GivenEvents: EventsAPI {
    private struct State {
        var events: [EventsV1.Event] = []
        var failure: ServiceError?
    }

    private let state = Mutex(State())

    /// From now on the trail has this event too, at the next position.
    func add(_ event: EventsV1.Event) {
        state.withLock { state in
            var event = event
            event.position = Int64(state.events.count + 1)
            state.events.append(event)
        }
    }

    /// From now on calls fail; nil for none.
    func fail(_ failure: ServiceError?) { state.withLock { $0.failure = failure } }

    func readEvents(
        _ request: EventsV1.ReadEventsRequest, _ context: CallContext
    ) async throws -> EventsV1.ReadEventsResponse { throw ServiceError(.unknownMethod) }

    func verifyTrail(
        _ request: EventsV1.VerifyTrailRequest, _ context: CallContext
    ) async throws -> EventsV1.VerifyTrailResponse { throw ServiceError(.unknownMethod) }

    func showTrailKey(
        _ request: EventsV1.ShowTrailKeyRequest, _ context: CallContext
    ) async throws -> EventsV1.ShowTrailKeyResponse { throw ServiceError(.unknownMethod) }

    func listAccountEvents(
        _ request: EventsV1.ListAccountEventsRequest, _ context: CallContext
    ) async throws -> EventsV1.ListAccountEventsResponse {
        let (events, failure) = state.withLock { ($0.events, $0.failure) }
        if let failure { throw failure }
        let before = request.before == 0 ? Int64.max : request.before
        let older = events.reversed().filter { event in
            event.accountId == request.accountId && event.position < before
                && (request.kinds.isEmpty || request.kinds.contains(event.kind))
        }
        let limit = Int(request.limit)
        let page = Array(older.prefix(limit))
        return .init(
            events: page, before: older.count > limit ? page.last?.position ?? 0 : 0)
    }
}

/// A notification service that cannot be reached with relay addresses.
struct UnreachableRelays: RelayAddressesAPI {
    func setRelay(
        _ request: NotificationV1.SetRelayRequest, _ context: CallContext
    ) async throws -> NotificationV1.SetRelayResponse { throw ServiceError(.unavailable) }
}

/// A service that has data of the accounts that it is given, 2 on a page, until it forgets them.
final class ListedAccounts: AccountDataAPI {
    private struct State {
        var accounts: [AccountDataV1.AccountWithData] = []
        var failure: ErrorCode?
        var calls = 0
        var forgotten: [AccountDataV1.DataSubject] = []
        var files: [(name: String, parts: [[UInt8]])] = []
        var subjects: [AccountDataV1.DataSubject] = []
        var meanwhile: (@Sendable () async throws -> Void)?
        var leaving: Set<String> = []
    }

    private let state = Mutex(State())

    /// The number of calls.
    var calls: Int { state.withLock { $0.calls } }
    /// Whose data was collected, in order.
    var collected: [AccountDataV1.DataSubject] { state.withLock { $0.subjects } }

    /// From now on it has this file of each account, sent in these parts.
    func have(_ name: String, _ parts: [[UInt8]]) {
        state.withLock { state in
            state.files.removeAll { $0.name == name }
            state.files.append((name, parts))
        }
    }

    /// The accounts that it was asked to forget, in order.
    var forgotten: [AccountDataV1.DataSubject] { state.withLock { $0.forgotten } }

    /// From now on lists these.
    func list(_ accounts: [AccountDataV1.AccountWithData]) {
        state.withLock { $0.accounts = accounts }
    }

    /// From now on calls fail with this code; nil for none.
    func fail(_ code: ErrorCode?) { state.withLock { $0.failure = code } }

    /// Removes the data of these accounts after the next page, as deletions do.
    func removeOnceListed(_ accounts: Set<String>) {
        state.withLock { $0.leaving = accounts }
    }

    /// Runs `body` once, after the files of the next account were collected.
    func onceCollected(_ body: @escaping @Sendable () async throws -> Void) {
        state.withLock { $0.meanwhile = body }
    }

    func listAccountsWithData(
        _ request: AccountDataV1.ListAccountsWithDataRequest, _ context: CallContext
    ) async throws -> AccountDataV1.ListAccountsWithDataResponse {
        try context.requireIdentity()
        return try state.withLock { state in
            state.calls += 1
            if let failure = state.failure { throw ServiceError(failure) }
            defer {
                if !state.leaving.isEmpty {
                    state.accounts.removeAll { state.leaving.contains($0.accountId) }
                    state.leaving = []
                }
            }
            let start = Int(request.pageToken) ?? 0
            let end = min(start + 2, state.accounts.count)
            return .init(
                accounts: Array(state.accounts[start..<end]),
                nextPageToken: end < state.accounts.count ? "\(end)" : "")
        }
    }

    func collectAccountData(
        _ request: AccountDataV1.CollectAccountDataRequest, _ context: CallContext
    ) -> IncomingItems<AccountDataV1.CollectAccountDataItem> {
        .inProcess { items in
            try context.requireIdentity()
            let (files, failure) = self.state.withLock { state in
                if let subject = request.subject { state.subjects.append(subject) }
                return (state.files, state.failure)
            }
            for file in files {
                try await items.write(.init(part: .file(file.name)))
                for part in file.parts { try await items.write(.init(part: .data(part))) }
            }
            let meanwhile = self.state.withLock { state in
                defer { state.meanwhile = nil }
                return state.meanwhile
            }
            try await meanwhile?()
            // In the middle of the stream: what was sent is in the archive by then.
            if let failure { throw ServiceError(failure) }
        }
    }

    func forgetAccountData(
        _ request: AccountDataV1.ForgetAccountDataRequest, _ context: CallContext
    ) async throws -> AccountDataV1.ForgetAccountDataResponse {
        try context.requireIdentity()
        return try state.withLock { state in
            if let failure = state.failure { throw ServiceError(failure) }
            if let subject = request.subject { state.forgotten.append(subject) }
            let before = state.accounts.count
            state.accounts.removeAll { $0.accountId == request.subject?.accountId }
            return .init(rows: UInt32(before - state.accounts.count))
        }
    }
}

/// A notification service that records the mails to send, once for each key like the real one.
final class RecordingNotifications: NotificationsAPI {
    private struct State {
        var mails: [NotificationV1.SendEmailRequest] = []
        var keys: Set<String> = []
        var calls = 0
        var failures: [ErrorCode] = []
        var hanging: ManualTime?
    }

    private let state = Mutex(State())

    /// The accepted mails.
    var mails: [NotificationV1.SendEmailRequest] { state.withLock { $0.mails } }
    /// The number of calls.
    var calls: Int { state.withLock { $0.calls } }

    /// The next calls fail with these codes.
    func fail(_ codes: [ErrorCode]) { state.withLock { $0.failures = codes } }

    /// From now on calls hang until their deadline passes on the given clock.
    func hang(_ time: ManualTime) { state.withLock { $0.hanging = time } }

    func sendEmail(
        _ request: NotificationV1.SendEmailRequest, _ context: CallContext
    ) async throws -> NotificationV1.SendEmailResponse {
        if let time = state.withLock({ $0.hanging }) {
            state.withLock { $0.calls += 1 }
            try await time.sleep(for: .seconds(10))
            throw ServiceError(.deadlineExceeded)
        }
        return try take(request, context)
    }

    private func take(
        _ request: NotificationV1.SendEmailRequest, _ context: CallContext
    ) throws -> NotificationV1.SendEmailResponse {
        try state.withLock { state in
            state.calls += 1
            if !state.failures.isEmpty { throw ServiceError(state.failures.removeFirst()) }
            guard let key = context.idempotencyKey else { throw ServiceError(.invalidArgument) }
            if state.keys.insert(key).inserted { state.mails.append(request) }
        }
        return .init(messageId: "msg_0000000000001")
    }
}

/// A session service that records the accounts whose sessions it is asked to end, and the claims of
/// accounts, and names the accounts of all sessions that `known` has ever opened.
final class RecordingSessions: SessionsAPI {
    private let known: KnownSessions
    private let state = Mutex<[SessionV1.EndAccountSessionsRequest]>([])
    private let checked = Mutex<Duration?>(nil)
    private let claimed = Mutex<[SessionV1.SetAccountClaimsRequest]>([])

    init(known: KnownSessions) { self.known = known }

    /// The deadline of the last check of an access token.
    var checkDeadline: Duration? { checked.withLock { $0 } }

    /// The requests, in order.
    var ended: [SessionV1.EndAccountSessionsRequest] { state.withLock { $0 } }

    func endAccountSessions(
        _ request: SessionV1.EndAccountSessionsRequest, _ context: CallContext
    ) async throws -> SessionV1.EndAccountSessionsResponse {
        state.withLock { $0.append(request) }
        return .init(ended: 1)
    }

    /// The claims of accounts, in the order of their arrival.
    var claims: [SessionV1.SetAccountClaimsRequest] { claimed.withLock { $0 } }

    func setAccountClaims(
        _ request: SessionV1.SetAccountClaimsRequest, _ context: CallContext
    ) async throws -> SessionV1.SetAccountClaimsResponse {
        claimed.withLock { $0.append(request) }
        return .init(changed: true)
    }

    func createSession(
        _ request: SessionV1.CreateSessionRequest, _ context: CallContext
    ) async throws -> SessionV1.CreateSessionResponse { throw ServiceError(.unknownMethod) }

    func validateAccessToken(
        _ request: SessionV1.ValidateAccessTokenRequest, _ context: CallContext
    ) async throws -> SessionV1.ValidateAccessTokenResponse {
        checked.withLock { $0 = context.deadline }
        guard let session = known.live(request.accessToken) else { return .init() }
        return .init(
            valid: true, sessionId: session.sessionId, accountId: session.accountId,
            expiresAtMs: session.expiresAtMs)
    }

    func inspectSession(
        _ request: SessionV1.InspectSessionRequest, _ context: CallContext
    ) async throws -> SessionV1.InspectSessionResponse {
        let token =
            request.accessToken.isEmpty
            ? known.token(ofSession: request.sessionId) ?? "" : request.accessToken
        let account = known.account(ofEver: token)
        return .init(
            known: account != nil, sessionId: known.session(ofEver: token),
            accountId: account ?? "", live: known.isLive(token))
    }
}
