import Testing

@testable import postern

@Suite("The names in a backup")
struct BackupEntryTests {
    @Test(
        "each file of a store has a name that is read as it is written",
        arguments: [
            "identity.sqlite", "session.sqlite", "ratelimit.sqlite", "notification.sqlite",
            "ratelimit.log.7", "ratelimit.snapshot.0", "ratelimit-devices.log.18446744073709551615",
            "keys/identity.key", "keys/sign-in-proof.key", "manifest.json",
            "blobs/00112233445566778899aabbccddeeff",
        ])
    func known(name: String) throws {
        #expect(try #require(BackupEntry(name)).name == name)
    }

    @Test(
        "no other name is a file of a backup",
        arguments: [
            "", "/", "..", "other.sqlite", "identity.sqlite-wal", "./identity.sqlite",
            "../identity.sqlite", "keys/../identity.key", "keys/.key", "keys/A.key", "keys/a.pub",
            "keys/a/b.key", "keys/ä.key", "ratelimit.log.", "ratelimit.log.07", "ratelimit.log.+7",
            "ratelimit.log.-1", "ratelimit.log.18446744073709551616", "ratelimit.snapshot.draft",
            "identity.log.1", "Manifest.json", "blobs", "blobs/", "blobs/a",
            "blobs/../identity.key",
            "blobs/00112233445566778899AABBCCDDEEFF", "00112233445566778899aabbccddeeff",
            "blobs/00112233445566778899aabbccddee/f", "blobs//00112233445566778899aabbccddeeff",
            "blobs/00112233445566778899aabbccddeeff.partial",
            "keys/" + String(repeating: "a", count: 65) + ".key",
        ])
    func unknown(name: String) {
        #expect(BackupEntry(name) == nil)
    }

    @Test("a file belongs to the service whose folder it comes from")
    func services() {
        #expect(BackupEntry("ratelimit-devices.log.1")?.service?.name == "rate-limit")
        #expect(BackupEntry("session.sqlite")?.service?.name == "session")
        #expect(
            BackupEntry("blobs/00112233445566778899aabbccddeeff")?.service?.name == "identity")
        #expect(BackupEntry("keys/session.key")?.service == nil)
        #expect(
            BackupEntry.services.map(\.name) == Endpoints.services.filter { $0 != "gateway" })
    }
}
