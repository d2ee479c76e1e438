import Testing

@testable import Cryptography

@Suite("Keyed hashes")
struct KeyedHashTests {
    private let master = SecretBytes(copying: [UInt8](repeating: 7, count: 32))

    @Test("R-05: a hash for one purpose does not verify for another")
    func purposes() {
        let email = KeyedHash(master: master, purpose: "identity/email")
        let phone = KeyedHash(master: master, purpose: "identity/phone")
        let again = KeyedHash(master: master, purpose: "identity/email")
        #expect(email.hash("ada@example.org".utf8) == again.hash("ada@example.org".utf8))
        #expect(email.hash("ada@example.org".utf8) != phone.hash("ada@example.org".utf8))
        #expect(!phone.verifies(email.hash([1]), of: [1]))
    }

    @Test("a truncated, extended or changed code is rejected")
    func refusal() {
        let keyed = KeyedHash(key: master)
        let code = keyed.hash([1, 2, 3])
        #expect(!keyed.verifies(code.dropLast(), of: [1, 2, 3]))
        #expect(!keyed.verifies(code + [0], of: [1, 2, 3]))
        #expect(!keyed.verifies([], of: [1, 2, 3]))
        for bit in 0..<256 {
            var changed = code
            changed[bit / 8] ^= 1 << (bit % 8)
            #expect(!keyed.verifies(changed, of: [1, 2, 3]))
        }
    }

    @Test("many threads can use one keyed hash at once")
    func parallel() async {
        let keyed = KeyedHash(key: master)
        let alone = (0..<64).map { KeyedHash(key: master).hash([UInt8($0)]) }
        await withTaskGroup(of: Bool.self) { group in
            for number in 0..<64 {
                group.addTask {
                    (0..<200).allSatisfy { _ in keyed.hash([UInt8(number)]) == alone[number] }
                }
            }
            for await isSame in group { #expect(isSame) }
        }
    }

    @Test("every kind of collection of the same bytes gives the same hash")
    func collections() {
        let keyed = KeyedHash(key: master)
        let hash = keyed.hash("abc".utf8)
        #expect(keyed.hash([97, 98, 99]) == hash)
        #expect(keyed.hash([0, 97, 98, 99][1...]) == hash)
        #expect(keyed.hash([97, 98, 99].lazy.map { $0 }) == hash)
        #expect([97, 98, 99].withUnsafeBytes { keyed.hash($0) } != hash, "integers of 8 bytes")
        #expect(([97, 98, 99] as [UInt8]).withUnsafeBytes { keyed.hash($0) } == hash)
    }
}
