import Messages
import ServiceRuntime
import Testing

@testable import postern

@Suite("B3: a line of postern status")
struct StatusLineTests {
    @Test("B3: a failing part is shown with its detail and the time since when")
    func line() {
        let works = HealthV1.PartHealth(name: "clock", status: .serving)
        let fails = HealthV1.PartHealth(
            name: "store", status: .degraded, detail: "disk full",
            failingSince: .failingSinceAtMs(1_700_000_000_000))
        func line(_ status: HealthV1.ServingStatus, _ parts: [HealthV1.PartHealth]) -> String {
            StatusCommand.line(HealthV1.CheckResponse(status: status, parts: parts))
        }
        #expect(line(.serving, []) == "serving")
        #expect(line(.serving, [works]) == "serving")
        #expect(
            line(.serving, [works, fails])
                == "serving, degraded: store (disk full, since 2023-11-14T22:13:20.000Z)")
        #expect(line(.notServing, [fails]) == "not serving")
    }

    @Test("only a program that serves with all of its parts is well")
    func isWell() {
        #expect(StatusCommand.isWell("serving"))
        for state in ["serving, degraded: store (disk full)", "not serving", "no answer", ""] {
            #expect(!StatusCommand.isWell(state), "\(state)")
        }
    }

    @Test("a program that cannot be reached is shown with the reason for each address")
    func unreached() {
        let error = ServiceError(.unavailable, detail: "127.0.0.1:7400: refused")
        #expect(StatusCommand.noAnswer(error) == "no answer (127.0.0.1:7400: refused)")
        #expect(
            StatusCommand.noAnswer(ServiceError(.deadlineExceeded))
                == "no answer (rpc/deadline-exceeded)")
    }
}
