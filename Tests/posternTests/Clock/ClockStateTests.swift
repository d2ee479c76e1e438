import Messages
import ServiceRuntime
import TestSupport
import Testing

@testable import postern

@Suite("Clock: the tool's output")
struct ClockStateTests {
    private static func state(waiting: Bool, ahead minutes: Int64) -> ClockState {
        ClockState(
            ClockV1.CheckResponse(
                waiting: waiting, nowMs: 1_000_000_000,
                wallMs: 1_000_000_000 + minutes * 60_000))
    }

    @Test(
        "a line says whether the clock waits, and how far off it is",
        arguments: [
            (false, 0, "agrees with the machine's clock"),
            (false, 1, "agrees with the machine's clock"),
            (false, -1, "agrees with the machine's clock"),
            (
                false, 2,
                "goes by its own time: the machine's clock is 2 min ahead; if that is right: "
                    + "postern clock accept"
            ),
            (false, -125, "goes by its own time: the machine's clock is 2 h 5 min behind"),
            (true, 1_501, "waits: the machine's clock is 1 d 1 h ahead of where it stopped"),
        ] as [(Bool, Int64, String)])
    func line(isWaiting: Bool, minutes: Int64, text: String) {
        #expect(Self.state(waiting: isWaiting, ahead: minutes).text == text)
    }

    @Test("B15: after accepting, the line says by how much the time moved, if it did")
    func accepted() {
        let agreeing = Self.state(waiting: false, ahead: 0)
        for (isWaiting, minutes) in [(true, 4_380), (false, 4_380)] as [(Bool, Int64)] {
            let before = Self.state(waiting: isWaiting, ahead: minutes)
            #expect(
                before.text(afterAccepting: agreeing) == "accepted: its time went on by 3 d 1 h")
        }
        #expect(!agreeing.isApart)
        #expect(agreeing.text(afterAccepting: agreeing) == "agrees with the machine's clock")
    }

    @Test("B15: a clock that is behind is not accepted, and the tool says so")
    func refused() {
        let behind = Self.state(waiting: false, ahead: -300)
        #expect(behind.isApart)
        #expect(
            behind.text(afterAccepting: behind)
                == "not accepted: the machine's clock is 5 h behind, and time never goes back")
    }

    @Test(
        "a span is printed in its two largest units",
        arguments: [
            (0, "0 min"), (59, "59 min"), (60, "1 h"), (61, "1 h 1 min"), (1_440, "1 d"),
            (1_500, "1 d 1 h"), (5_256_000, "3650 d"),
        ] as [(Int64, String)])
    func distance(minutes: Int64, text: String) {
        #expect(ClockState.distance(.seconds(minutes * 60)) == text)
        #expect(ClockState.distance(.seconds(minutes * -60)) == text)
    }

    @Test("postern up reports waiting clocks with programs, distance and command, if there are any")
    func up() throws {
        #expect(UpCommand.clockWarning([], option: "") == nil)
        let text = try #require(
            UpCommand.clockWarning(
                [
                    ("postern-session", .seconds(86_400 * 2)),
                    ("postern-identity", .seconds(86_400 * 3)),
                ], option: " --endpoints x/endpoints.json"))
        #expect(text.contains("3 d ahead of where session, identity stopped"))
        #expect(text.contains("postern clock accept --endpoints x/endpoints.json\n"))
    }

    @Test("a waiting clock is read from a program's log, after its last start only")
    func log() throws {
        let folder = try TemporaryFolder()
        let event = ClockHold.farAheadEvent
        let line =
            #"{"level":"error","event":"\#(event)","message":"ahead","milliseconds":262800000}"#
        let path = try folder.write("\(line)\n", to: "a.log")
        let later = ChildLog(path)
        #expect(later.clockAhead == nil)
        let whole = ChildLog(folder.file("b.log"))
        _ = try folder.write("a loader's complaint\n\(line)\n{\"level\":\"info\"", to: "b.log")
        #expect(whole.clockAhead == .milliseconds(262_800_000))
    }
}
