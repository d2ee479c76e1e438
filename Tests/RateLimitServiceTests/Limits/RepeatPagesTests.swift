import TestSupport
import Testing

@testable import RateLimitService

@Suite("G-25: pages about repeats have the figures of the code")
struct RepeatPagesTests {
    @Test(
        "how many repeats of a call count against no limit, and for how long",
        arguments: ["Protos/README.md", "Protos/postern/gateway/repeats.md"])
    func figures(path: String) throws {
        let page = try CommittedFile(path).text()
        let seconds = ChargeLedger.life.components.seconds
        #expect(page.contains("within \(seconds) s of the first"), "\(path)")
        #expect(page.contains("\(ChargeLedger.repeatsMax) repeats"), "\(path)")
    }
}
