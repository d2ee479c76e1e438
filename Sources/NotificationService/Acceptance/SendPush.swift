import Contracts
import Cryptography
import Messages
import RPC
import ServiceRuntime
import Storage

extension PushMessagesHandler {
    /// Accepts one push message for each device that the account has at that time, without those of
    /// the session that the request excepts, all in one transaction, so that a crash between two
    /// devices neither loses a message nor sends it twice.
    func sendPush(
        _ request: NotificationV1.SendPushRequest, _ context: CallContext
    ) async throws -> NotificationV1.SendPushResponse {
        let order = try PushOrder(request)
        let key = try MessageAcceptance.idempotencyKey(of: Self.method, context)
        let call = keys.call(application: context.application, method: Self.method, key: key)
        let fingerprint = keys.fingerprint(request.encoded())
        let account = keys.account(order.owner)
        let except = try Self.exceptedSession(request).map(keys.devices.session)
        let taken = try await store.write(about: [.hash(account)]) { transaction in
            if let known = try transaction.messages(ofPushCall: call, fingerprint) {
                return known.map { MessageAcceptance.Taken(id: $0) }
            }
            let taken = try transaction.devices(ofAccount: account, except: except).map { device in
                var order = order
                order.device = device.id.key
                let message = try acceptance.prepare(
                    order, method: Self.method, part: device.id.text, context)
                return try acceptance.take(message, in: transaction)
            }
            try transaction.insert(pushCall: call, fingerprint, messages: taken.map(\.id))
            return taken
        }
        acceptance.announce(.push, taken)
        return NotificationV1.SendPushResponse(messageIds: taken.map(\.id.text))
    }

    private static let method = PushMessagesDescription.sendPush.name

    /// - Throws: `rpc/invalid-argument` for a malformed id.
    private static func exceptedSession(
        _ request: NotificationV1.SendPushRequest
    ) throws(ServiceError) -> SessionID? {
        guard !request.exceptSessionId.isEmpty else { return nil }
        guard let session = SessionID(text: request.exceptSessionId) else {
            throw ServiceError(.invalidArgument, fields: ["except_session_id"])
        }
        return session
    }
}

/// The idempotency record of a call to SendPush (G-25). It lists the messages, one for each device
/// at that time. A repeated call must not reach a device that was registered since.
extension Transaction {
    /// The messages of a repeated call; nil for a new one, and for one whose key has expired.
    /// - Throws: `auth/idempotency-key-reused` when the key was used for another request.
    func messages(
        ofPushCall hash: [UInt8], _ fingerprint: [UInt8]
    ) throws -> [MessageID]? {
        let found = try queryOne(
            "SELECT fingerprint, message_ids FROM push_call WHERE call_hash = ? AND at_ms >= ?",
            [.blob(hash), SQLValue(at - NotificationStore.retention)]
        ) { (fingerprint: try $0.blob(0), ids: try $0.blob(1)) }
        guard let found else { return nil }
        guard found.fingerprint == fingerprint else {
            throw ServiceError(.idempotencyKeyReused)
        }
        guard let ids = [Int64](bigEndianBytes: found.ids) else {
            throw SQLError(.unexpectedValue, detail: "push_call.message_ids")
        }
        return ids.compactMap { MessageID(key: $0) }
    }

    /// Stores a call.
    func insert(
        pushCall hash: [UInt8], _ fingerprint: [UInt8], messages: [MessageID]
    ) throws {
        // One that was not yet purged. A call that another flow has stored since this one looked is
        // not deleted: the insert fails, and the flow runs once more and finds it.
        try put(
            "DELETE FROM push_call WHERE call_hash = ? AND at_ms < ?",
            [.blob(hash), SQLValue(at - NotificationStore.retention)])
        let ids = messages.map(\.key).bigEndianBytes
        try put(
            "INSERT INTO push_call (call_hash, fingerprint, message_ids, at_ms) VALUES (?, ?, ?, ?)",
            [.blob(hash), .blob(fingerprint), .blob(ids), SQLValue(at)])
    }
}

extension PushOrder {
    /// Checks and converts a request. The order is still without a device.
    /// - Throws: `ServiceError` `rpc/invalid-argument` with the fields at fault.
    init(_ request: NotificationV1.SendPushRequest) throws(ServiceError) {
        let account = try RequestFields.account(request.accountId)
        let language = try RequestFields.language(request.language)
        let variables = try RequestFields.pairs(request.variables, "variables")
        let text = PushText(
            title: request.title, body: request.body,
            data: request.data.map { .init(name: $0.name, value: $0.value) },
            collapseKey: request.collapseKey)
        let lane: Lane
        if request.template.isEmpty {
            // A caller's own text is a notice, never a code, so it has a lower priority.
            lane = .notice
            try text.requireWords()
        } else {
            let template: PushTemplate = try RequestFields.template(request.template)
            try RequestFields.values(variables, for: template)
            lane = template.lane
            guard request.title.isEmpty, request.body.isEmpty else {
                throw ServiceError(.invalidArgument, fields: ["title"])
            }
        }
        try text.requireRest()
        let expiresAt = try RequestFields.moment(request.expiresAtMs)
        self.init(
            owner: account, device: 0, templateName: request.template, lane: lane,
            language: language, variables: variables, title: request.title, body: request.body,
            data: text.data.map { OrderPair(name: $0.name, value: $0.value) },
            collapseKey: request.collapseKey, expiresAt: expiresAt)
    }
}
