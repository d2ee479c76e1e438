import Contracts
import Cryptography
import Messages
import RPC
import ServiceRuntime
import Storage

extension PushMessagesHandler {
    /// Accepts one push message for each device that the account has at that time, all in one
    /// transaction, so that a crash between two devices neither loses a message nor sends it twice.
    func sendPush(
        _ request: NotificationV1.SendPushRequest, _ context: CallContext
    ) async throws -> NotificationV1.SendPushResponse {
        let order = try PushOrder(request)
        let key = try MessageAcceptance.idempotencyKey(of: Self.method, context)
        let call = keys.call(application: context.application, method: Self.method, key: key)
        let fingerprint = keys.fingerprint(request.encoded())
        let account = keys.account(order.owner)
        let taken = try await store.write(about: [.hash(account)]) { transaction in
            if let known = try transaction.messages(ofPushCall: call, fingerprint) {
                return known.map { MessageAcceptance.Taken(id: $0) }
            }
            let taken = try transaction.devices(ofAccount: account).map { device in
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
    private static let titleBytesMax = 120
    private static let bodyBytesMax = 1_024
    private static let dataPairsMax = 16
    /// For all names and values together.
    private static let dataBytesMax = 1_024
    /// Title, text and data in JSON. The rest of the payload is below 400 bytes, and Apple and
    /// Google accept 4 KiB.
    private static let writtenBytesMax = 3_584
    private static let collapseKeyBytesMax = 64

    /// Checks and converts a request. The order is still without a device.
    /// - Throws: `ServiceError` `rpc/invalid-argument` with the fields at fault.
    init(_ request: NotificationV1.SendPushRequest) throws(ServiceError) {
        let account = try RequestFields.account(request.accountId)
        let language = try RequestFields.language(request.language)
        let variables = try RequestFields.pairs(request.variables, "variables")
        let lane: Lane
        if request.template.isEmpty {
            // A caller's own text is a notice, never a code, so it has a lower priority.
            lane = .notice
            try Self.require(Self.isText(request.title, 1...Self.titleBytesMax), "title")
            try Self.require(Self.isText(request.body, 0...Self.bodyBytesMax), "body")
        } else {
            let template: PushTemplate = try RequestFields.template(request.template)
            try RequestFields.values(variables, for: template)
            lane = template.lane
            try Self.require(request.title.isEmpty && request.body.isEmpty, "title")
        }
        let data = try Self.data(request.data)
        try Self.require(
            request.collapseKey.isEmpty
                || Self.isPlain(request.collapseKey, Self.collapseKeyBytesMax), "collapse_key")
        let expiresAt = try RequestFields.moment(request.expiresAtMs)
        let texts = [request.title, request.body] + data.flatMap { [$0.name, $0.value] }
        try Self.require(
            texts.reduce(0) { $0 + Self.writtenBytes($1) } <= Self.writtenBytesMax, "body")
        self.init(
            owner: account, device: 0, templateName: request.template, lane: lane,
            language: language, variables: variables, title: request.title, body: request.body,
            data: data, collapseKey: request.collapseKey, expiresAt: expiresAt)
    }

    private static func data(
        _ pairs: [NotificationV1.Variable]
    ) throws(ServiceError) -> [OrderPair] {
        let data = try RequestFields.pairs(pairs, "data")
        let bytes = data.reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count }
        let isSound =
            data.count <= dataPairsMax && bytes <= dataBytesMax
            && data.allSatisfy { isKey($0.name) && isText($0.value, 0...dataBytesMax) }
        try require(isSound, "data")
        return data
    }

    /// Some names are reserved: by Google, by Apple (`aps`), and by us.
    private static func isKey(_ name: String) -> Bool {
        isPlain(name, 64)
            && !["aps", "from", "notification", "message_type", OutgoingPush.idKey].contains(name)
            && !["google.", "gcm.", "gcm_"].contains { name.hasPrefix($0) }
    }

    private static func isPlain(_ text: String, _ bytesMax: Int) -> Bool {
        (1...bytesMax).contains(text.utf8.count)
            && text.utf8.allSatisfy { (0x21...0x7E).contains($0) && $0 != 0x22 && $0 != 0x5C }
    }

    /// No control characters (C0, DEL, C1): JSON would escape most of them to six bytes, and a
    /// terminal obeys them.
    private static func isText(_ text: String, _ bytes: ClosedRange<Int>) -> Bool {
        bytes.contains(text.utf8.count)
            && text.unicodeScalars.allSatisfy {
                $0.value >= 0x20 && !(0x7F...0x9F).contains($0.value)
            }
    }

    /// JSON escapes quotes and backslashes to two bytes.
    private static func writtenBytes(_ text: String) -> Int {
        text.utf8.reduce(0) { $0 + ($1 == 0x22 || $1 == 0x5C ? 2 : 1) }
    }

    private static func require(
        _ isSound: Bool, _ field: String
    ) throws(ServiceError) {
        guard isSound else { throw ServiceError(.invalidArgument, fields: [field]) }
    }
}
