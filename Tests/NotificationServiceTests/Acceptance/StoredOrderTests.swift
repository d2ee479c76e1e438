import Contracts
import ServiceRuntime
import TestSupport
import Testing

@testable import NotificationService

@Suite("Stored form of SMS and push orders")
struct StoredOrderTests {
    private static let account = AccountID.drawn(from: SeededRandomness(seed: 3))
    private static let sms = SMSOrder(
        recipient: "+4915112345621", templateName: "phone-code", lane: .requested, language: "de",
        variables: [OrderPair(name: "code", value: "123456")],
        expiresAt: Timestamp(milliseconds: 9), account: account)
    private static let push = PushOrder(
        owner: account, device: 77, templateName: "", lane: .notice, language: "ja",
        title: "やあ", body: "b", data: [OrderPair(name: "k", value: "")], collapseKey: "c")

    @Test("an encoded order decodes to an equal order")
    func roundTrip() throws {
        #expect(try SMSOrder(stored: Self.sms.storedBytes) == Self.sms)
        #expect(try PushOrder(stored: Self.push.storedBytes) == Self.push)
        let notice = SMSOrder(
            recipient: "+4915112345621", templateName: "password-changed", lane: .security,
            language: "de", variables: [], expiresAt: nil, account: Self.account)
        #expect(try SMSOrder(stored: notice.storedBytes) == notice, "a warning stays one")
        var accountless = Self.sms
        accountless.account = nil
        accountless.expiresAt = nil
        #expect(try SMSOrder(stored: accountless.storedBytes) == accountless)
    }

    @Test("a truncated order, trailing bytes or an unknown version is an error, never a trap")
    func hostile() {
        for bytes in [Self.sms.storedBytes, Self.push.storedBytes] {
            for count in 0..<bytes.count {
                #expect(throws: StoredOrderError.self) {
                    try SMSOrder(stored: Array(bytes.prefix(count)))
                }
                #expect(throws: StoredOrderError.self) {
                    try PushOrder(stored: Array(bytes.prefix(count)))
                }
            }
            #expect(throws: StoredOrderError.self) { try SMSOrder(stored: bytes + [0]) }
            #expect(throws: StoredOrderError.self) { try PushOrder(stored: bytes + [0]) }
        }
        #expect(throws: StoredOrderError.unknownVersion(2)) {
            try SMSOrder(stored: [2] + Self.sms.storedBytes.dropFirst())
        }
    }

    @Test("an order with one changed byte is an error or a different order, never a trap")
    func mutated() {
        let bytes = Self.push.storedBytes
        for place in bytes.indices {
            for flip in [UInt8(1), 0x80, 0xFF] {
                var changed = bytes
                changed[place] ^= flip
                // Both are correct; the test is that decoding returns.
                if let order = try? PushOrder(stored: changed) { #expect(order != Self.push) }
            }
        }
    }

    @Test(
        "a masked recipient can be recognised only by someone who knows the address or number",
        arguments: [
            (MaskedRecipient.email("ada@mail.example.org"), "a…@m….org"),
            (MaskedRecipient.email("a@b.de"), "a…@b….de"),
            (MaskedRecipient.email("nobody"), "…"),
            (MaskedRecipient.email("ö@localhost"), "ö…@l…"),
            (MaskedRecipient.phone("+4915112345621"), "+49…21"),
            (MaskedRecipient.phone("+12345"), "…"),
            (MaskedRecipient.device(1_234_567), "device …67"),
            (MaskedRecipient.device(5), "device …05"),
            (MaskedRecipient.device(.min), "device …08"),
        ])
    func masks(_ masked: String, _ expected: String) {
        #expect(masked == expected)
    }
}
