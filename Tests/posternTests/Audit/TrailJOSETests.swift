import Foundation
import JSON
import TestSupport
import Testing

@testable import postern

@Suite("A-02: heads of audit trails, read by other people's JOSE libraries")
struct TrailJOSETests {
    private static let checkout = URL(filePath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().path
    private static let python = "\(checkout)/.build/venv/bin/python"

    @Test(
        "PyJWT and jwcrypto verify the heads of `audit watch` by the keys of `audit keys`",
        .enabled(
            if: FileManager.default.isExecutableFile(atPath: python),
            "docker/test.sh makes the Python environment"))
    func heads() async throws {
        let trail = try TrailStore()
        for hour in 0..<3 { try await trail.hour(from: hour * 100) }
        let key = AuditCommand.Keys.row(of: "entries", try await trail.key())
        let keys = try trail.folder.write(
            "[\(JSONWriter.text(key.json, .shown))]", to: "keys.json")
        let path = trail.folder.file("audit.jsonl")
        try WatchedLines(isJSON: true, path: path).write(
            try await trail.events().map {
                AuditWatch.Entry(service: "entries", event: $0, place: 0)
            })
        let run = try SystemCommand(
            Self.python, ["\(Self.checkout)/Tests/Interop/audit_heads.py", keys, path],
            withErrors: true)
        #expect(run.exitCode == 0, "\(run.said)")
    }
}
