import Messages
import ServiceRuntime
import TestSupport
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
        #expect(StatusCommand.isWell("serving; warning: link-origin is none of web-origins"))
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

    @Test("of a program that does not answer, the last start says why, until it is ready")
    func obstacle() throws {
        func line(_ event: String, _ detail: String) -> String {
            #"{"level":"error","event":"\#(event)","message":"m","detail":"\#(detail)"}"# + "\n"
        }
        let folder = try TemporaryFolder()
        func state(_ log: String, of state: String = "no answer (refused)") throws -> String {
            let path = try folder.write(log, to: "program.log")
            return StatusCommand.state(state, log: ChildLog(whole: path))
        }
        let (failed, awaited, ready) = (
            line("process.start.failed", "set fsync = on"),
            line("store.server.awaited", "check store-url"), line("process.ready", "")
        )
        #expect(try state(failed) == "no answer (refused); its log: set fsync = on")
        #expect(try state(ready + awaited) == "no answer (refused); its log: check store-url")
        #expect(try state(failed + ready) == "no answer (refused)")
        #expect(try state("no JSON\n") == "no answer (refused)")
        #expect(try state(failed, of: "serving") == "serving")
        let missing = ChildLog(whole: folder.file("missing"))
        #expect(StatusCommand.state("no answer", log: missing) == "no answer")
    }
}
