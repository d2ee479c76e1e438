import Contracts
import Messages
import ServiceRuntime

/// A text message to send (N-02). The caller has validated the parts.
struct SMSOrder: StoredOrder, Hashable {
    static var channel: Channel { .sms }
    private static let version: UInt8 = 1

    /// The number in E.164 form: "+4915112345678".
    var recipient: String
    var templateName: String
    var lane: Lane
    /// BCP 47; empty for the default.
    var language: String
    /// The values of the template's variables.
    var variables: [OrderPair]
    var expiresAt: Timestamp?
    var account: AccountID?

    var recipientKey: [UInt8] { Array(recipient.utf8) }
    var maskedRecipient: String { MaskedRecipient.phone(recipient) }
    var mustExpire: Bool {
        SMSTemplate(rawValue: templateName)?.variables.contains(.code) ?? false
    }

    var storedBytes: [UInt8] {
        var writer = OrderWriter(version: Self.version)
        writer.put(recipient)
        writer.put(templateName)
        writer.put(lane.number)
        writer.put(language)
        writer.put(variables)
        writer.put(expiresAt)
        writer.put(account?.key ?? 0)
        return writer.bytes
    }
}

extension SMSOrder {
    /// Decodes the stored form.
    /// - Throws: `StoredOrderError`.
    init(stored bytes: [UInt8]) throws {
        var reader = try OrderReader(bytes, version: Self.version)
        recipient = try reader.text()
        templateName = try reader.text()
        // Of the texts with lane number 0, codes were requested and notices are warnings.
        let isWarning = SMSTemplate(rawValue: templateName)?.lane.isWarning ?? false
        guard let lane = Lane(number: try reader.number(), isWarning: isWarning) else {
            throw StoredOrderError.malformed
        }
        self.lane = lane
        language = try reader.text()
        variables = try reader.pairs()
        expiresAt = try reader.moment()
        account = AccountID(key: try reader.number())
        try reader.end()
    }
}

extension SMSOrder {
    /// Checks and converts a request.
    /// - Throws: `ServiceError` `rpc/invalid-argument` with the fields at fault.
    init(_ request: NotificationV1.SendTextRequest) throws(ServiceError) {
        guard Self.isE164(request.recipient) else {
            throw ServiceError(.invalidArgument, fields: ["recipient"])
        }
        let variables = try RequestFields.pairs(request.variables, "variables")
        let template: SMSTemplate = try RequestFields.template(request.template)
        try RequestFields.values(variables, for: template)
        self.init(
            recipient: request.recipient, templateName: request.template,
            lane: template.lane,
            language: try RequestFields.language(request.language), variables: variables,
            expiresAt: try RequestFields.moment(request.expiresAtMs),
            account: request.accountId.isEmpty
                ? nil : try RequestFields.account(request.accountId))
    }

    /// Digits after the `+`. The shortest numbers in use have seven with their country code.
    private static let numberDigits = 7...15

    /// Whether a number is in E.164 form: `+`, country code and at most fifteen digits in all
    /// (ITU-T E.164, 6). Other forms are rejected, so that one number has one look-up key.
    static func isE164(_ text: String) -> Bool {
        let number = text.utf8.dropFirst()
        return text.utf8.first == UInt8(ascii: "+") && numberDigits.contains(number.count)
            && number.first != UInt8(ascii: "0")
            && number.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    }
}
