import Foundation
import Testing

@testable import RateLimitService

@Suite("G-25: pages about repeats have the figures of the code")
struct RepeatPagesTests {
    private static let root: URL = {
        // This file is Limits/RepeatPagesTests.swift, possibly reached through a link.
        var folder = URL(fileURLWithPath: #filePath).resolvingSymlinksInPath()
        for _ in 0..<4 { folder.deleteLastPathComponent() }
        return folder
    }()

    @Test(
        "how many repeats of a call count against no limit, and for how long",
        arguments: ["Protos/README.md", "Protos/postern/gateway/repeats.md"])
    func figures(path: String) throws {
        let page = try String(
            contentsOf: Self.root.appendingPathComponent(path), encoding: .utf8)
        let seconds = ChargeLedger.life.components.seconds
        #expect(page.contains("within \(seconds) s of the first"), "\(path)")
        #expect(page.contains("\(ChargeLedger.repeatsMax) repeats"), "\(path)")
    }
}
