import Testing

@testable import postern

@Suite("The manifest of a backup")
struct BackupManifestTests {
    private let manifest = BackupManifest(
        createdAt: "2026-01-31T09:05:00.250Z", version: "1.2.3",
        stores: [
            .init(
                service: "rate-limit", store: "ratelimit", keyID: "1a2b3c4d", storageSchema: 11,
                serviceSchema: 3)
        ],
        files: [
            .init(
                entry: .database(store: "ratelimit"), byteCount: 4_096,
                hash: [UInt8](repeating: 0xAB, count: 32)),
            .init(
                entry: .journal(name: "ratelimit-devices", part: .snapshot, generation: 7),
                byteCount: 0, hash: [UInt8](repeating: 1, count: 32)),
        ], hasKeys: false)

    private var text: String { String(decoding: manifest.text, as: UTF8.self) }

    @Test("it is read as it was written")
    func roundTrip() throws {
        #expect(try BackupManifest(manifest.text) == manifest)
        #expect(text.contains(#""created_at": "2026-01-31T09:05:00.250Z""#))
        #expect(text.contains(#""name": "ratelimit-devices.snapshot.7""#))
        #expect(text.contains(#""sha256": "\#(String(repeating: "ab", count: 32))""#))
    }

    @Test("escape sequences in a manifest do not reach the terminal")
    func escapes() {
        let hostile = text.replacing("\"format\": 1", with: "\"format\": 2")
            .replacing("1.2.3", with: #"\u001b[2J"#)
        let error = #expect(throws: ToolError.self) { try BackupManifest(Array(hostile.utf8)) }
        #expect(error?.description.contains("[2J") == true)
        #expect(error?.description.contains("\u{1B}") == false)
    }

    @Test("another format is refused, with the version that can read it")
    func otherFormat() {
        let error = #expect(throws: ToolError.self) {
            try BackupManifest(Array(text.replacing("\"format\": 1", with: "\"format\": 2").utf8))
        }
        #expect(error?.description.contains("format 2") == true)
        #expect(error?.description.hasSuffix("1.2.3") == true)
    }

    @Test(
        "a text that is no manifest is refused, with what is wrong",
        arguments: [
            ("\"with_keys\": false", "\"with_keys\": 0", "with_keys"),
            ("ratelimit.sqlite", "../ratelimit.sqlite", "files[0]"),
            ("ratelimit.sqlite", "manifest.json", "files[0]"),
            ("ratelimit-devices.snapshot.7", "ratelimit.sqlite", "twice"),
            ("abab", "ab", "files[0]"), ("4096", "-1", "files[0]"),
            ("\"rate-limit\"", "\"session\"", "stores[0]"),
            ("\"storage\": 11", "\"x\": 1", "stores"),
            ("{", "[", "JSON"),
        ])
    func invalid(old: String, new: String, reason: String) throws {
        let changed = text.replacing(old, with: new, maxReplacements: 1)
        let error = #expect(throws: ToolError.self) { try BackupManifest(Array(changed.utf8)) }
        #expect(error?.description.contains(reason) == true)
    }
}
