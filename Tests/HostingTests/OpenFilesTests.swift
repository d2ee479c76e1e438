import RPC
import TestSupport
import Testing

@testable import Hosting

@Suite("Open files and connections")
struct OpenFilesTests {
    @Test("connections that fit are left as they are, and nothing is logged")
    func fits() {
        let log = CapturedLog()
        var limits = ServerLimits()
        limits.connectionsMax = 10
        #expect(OpenFiles.fitted(limits, logger: log.logger()) == limits)
        #expect(log.lines.isEmpty)
    }

    @Test("connections beyond what the system gives are lowered, and it is said")
    func lowered() {
        let log = CapturedLog()
        var limits = ServerLimits()
        limits.connectionsMax = 1 << 40
        let fitted = OpenFiles.fitted(limits, logger: log.logger())
        #expect(fitted.connectionsMax < 1 << 40)
        #expect(fitted.connectionsMax >= 1)
        #expect(log.lines.contains { $0.contains("connections-max") })
    }
}
