import ServiceRuntime
import TestSupport
import Testing

@Suite("Identifiers: the text form of row keys")
struct IdentifierTests {
    @Test(
        "an id is its prefix and thirteen digits, and is read back",
        arguments: [
            (1, "acc_0000000000001"), (31, "acc_000000000000z"), (32, "acc_0000000000010"),
            (1_024, "acc_0000000000100"), (Int64.max, "acc_7zzzzzzzzzzzz"),
        ] as [(Int64, String)])
    func table(key: Int64, text: String) throws {
        let id = try #require(AccountID(key: key))
        #expect(id.text == text)
        #expect("\(id)" == text)
        #expect(AccountID(text: text)?.key == key)
    }

    @Test("a key of zero or below gives no id", arguments: [0, -1, Int64.min] as [Int64])
    func notPositive(key: Int64) {
        #expect(AccountID(key: key) == nil)
    }

    @Test(
        "any other text is rejected",
        arguments: [
            "", "acc_", "acc_0000000000000", "acc_8000000000000", "acc_zzzzzzzzzzzzz",
            "acc_00000000000001", "acc_000000000001", "ses_0000000000001", "acc-0000000000001",
            "ACC_0000000000001", "acc_000000000000Z", "acc_000000000000o", "acc_000000000000i",
            "acc_000000000000l", "acc_000000000000u", "acc_000000000000-", "acc_00000000000 1",
            " acc_000000000001", "acc_0000000000001\n", "acc_000000000000\0", "acc_00000000000é",
            "acc_000000000000١", "0000000000001",
        ])
    func hostile(text: String) {
        #expect(AccountID(text: text) == nil)
    }

    @Test("random ids are read back, and other prefixes or letter cases are rejected")
    func random() throws {
        let randomness = SeededRandomness(seed: 4)
        for _ in 0..<10_000 {
            let id = SessionID.drawn(from: randomness)
            #expect(id.key > 0)
            #expect(SessionID(text: id.text) == id)
            #expect(MessageID(text: id.text) == nil)
            #expect(SessionID(text: id.text.uppercased()) == nil)
        }
    }
}
