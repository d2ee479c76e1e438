import RPC
import TestSupport
import Testing

@testable import Hosting

@Suite("Limits of open files and connections")
struct OpenFilesTests {
    @Test("a connection limit that fits the open files is unchanged, and nothing is logged")
    func fits() throws {
        let log = CapturedLog()
        var limits = ServerLimits()
        limits.connectionsMax = 10
        #expect(try OpenFiles.fitted(limits, logger: log.logger()) == limits)
        #expect(log.lines.isEmpty)
    }

    @Test("a connection limit above the open files is lowered and logged")
    func lowered() throws {
        let log = CapturedLog()
        var limits = ServerLimits()
        limits.connectionsMax = 1 << 40
        let fitted = try OpenFiles.fitted(limits, logger: log.logger())
        #expect(fitted.connectionsMax < 1 << 40)
        #expect(fitted.connectionsMax >= 1)
        #expect(log.lines.contains { $0.contains("connections-max") })
    }

    @Test("B19: with too few open files a program does not start and says how many it needs")
    func tooFew() throws {
        var limits = ServerLimits()
        limits.connectionsMax = 10_000
        func fitted(_ given: Int) throws -> Int {
            try OpenFiles.fitted(limits, given: given, logger: CapturedLog().logger())
                .connectionsMax
        }
        #expect(try fitted(20_000) == 10_000)
        #expect(try fitted(320) == 64)
        #expect(throws: OpenFiles.tooFew(given: 319, needed: 320)) { try fitted(319) }
        let error = #expect(throws: StartError.self) { try fitted(256) }
        #expect(error?.description.contains("is 256, and 320 are needed") == true)
        // A program that serves few connections needs few files.
        limits.connectionsMax = 5
        #expect(try fitted(261) == 5)
        #expect(throws: StartError.self) { try fitted(260) }
    }
}
