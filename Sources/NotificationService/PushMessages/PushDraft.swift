import Messages
import ServiceRuntime

/// A validated request for a push message. It becomes one order per device.
struct PushDraft: Sendable {
    private static let titleBytesMax = 120
    private static let bodyBytesMax = 1_024
    private static let dataPairsMax = 16
    /// For all names and values together.
    private static let dataBytesMax = 1_024
    /// Title, text and data in JSON. The rest of the payload is below 400 bytes, and Apple and
    /// Google accept 4 KiB.
    private static let writtenBytesMax = 3_584
    private static let collapseKeyBytesMax = 64

    let account: AccountID
    let template: String
    let lane: Lane
    let language: String
    let variables: [OrderPair]
    let title: String
    let body: String
    let data: [OrderPair]
    let collapseKey: String
    let expiresAt: Timestamp?

    /// Validates a request.
    /// - Throws: `ServiceError` `rpc/invalid-argument` with the fields at fault.
    init(
        _ request: NotificationV1.SendPushRequest, _ wording: CatalogueWording
    ) throws(ServiceError) {
        account = try RequestFields.account(request.accountId)
        template = request.template
        language = try RequestFields.language(request.language)
        variables = try RequestFields.pairs(request.variables, "variables")
        if template.isEmpty {
            // A caller's own text is news, never a code, so it has a lower priority.
            lane = .notice
            try Self.require(Self.isText(request.title, 1...Self.titleBytesMax), "title")
            try Self.require(Self.isText(request.body, 0...Self.bodyBytesMax), "body")
        } else {
            lane = try RequestFields.lane(template, variables, on: .push, wording)
            try Self.require(request.title.isEmpty && request.body.isEmpty, "title")
        }
        title = request.title
        body = request.body
        data = try Self.data(request.data)
        collapseKey = request.collapseKey
        try Self.require(
            collapseKey.isEmpty || Self.isPlain(collapseKey, Self.collapseKeyBytesMax),
            "collapse_key")
        expiresAt = try RequestFields.moment(request.expiresAtMs)
        let texts = [title, body] + data.flatMap { [$0.name, $0.value] }
        try Self.require(
            texts.reduce(0) { $0 + Self.writtenBytes($1) } <= Self.writtenBytesMax, "body")
    }

    /// The order for one device.
    func order(for device: PushDeviceID) -> PushOrder {
        PushOrder(
            owner: account, device: device.key, template: template, lane: lane,
            language: language, variables: variables, title: title, body: body, data: data,
            collapseKey: collapseKey, expiresAt: expiresAt)
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
            && !["aps", "from", "notification", "message_type", PushPayload.idKey].contains(name)
            && !["google.", "gcm.", "gcm_"].contains { name.hasPrefix($0) }
    }

    private static func isPlain(_ text: String, _ bytesMax: Int) -> Bool {
        (1...bytesMax).contains(text.utf8.count)
            && text.utf8.allSatisfy { (0x21...0x7E).contains($0) && $0 != 0x22 && $0 != 0x5C }
    }

    /// No control characters, each of which JSON would escape to six bytes.
    private static func isText(_ text: String, _ bytes: ClosedRange<Int>) -> Bool {
        bytes.contains(text.utf8.count)
            && text.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x7F }
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
