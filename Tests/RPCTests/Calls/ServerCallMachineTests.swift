import Testing

@testable import RPC

@Suite("The life of calls on a connection, step by step")
struct ServerCallMachineTests {
    private func opened(callsMax: Int = 2) -> ServerCallMachine<Int> {
        var machine = ServerCallMachine<Int>(callsMax: callsMax)
        _ = machine.hello()
        return machine
    }

    private func running(_ calls: UInt64..., callsMax: Int = 2) -> ServerCallMachine<Int> {
        var machine = opened(callsMax: callsMax)
        for call in calls {
            #expect(machine.request(call) == .proceed)
            machine.began(call, deadline: .seconds(Int64(call)))
            machine.attach(Int(call), to: call)
        }
        return machine
    }

    @Test("Protos/README.md, Connection 2: before the Hello everything else is a violation")
    func beforeHello() {
        var machine = ServerCallMachine<Int>(callsMax: 1)
        #expect(machine.request(1) == .violation)
        #expect(machine.cancel(1).0 == .violation)
        #expect(machine.unknownFrame() == .violation)
        #expect(machine.item(1, isItem: true, isEnd: false).kind == "violation")
        #expect(machine.credit(1, 1).kind == "violation")
        #expect(machine.phase == .awaitingHello)
        #expect(machine.hello() == .proceed)
        #expect(machine.phase == .open)
        #expect(machine.hello() == .violation)
    }

    @Test(
        "Protos/README.md, Call: ids begin at 1 and strictly increase",
        arguments: [
            (UInt64(1), UInt64(2), true), (1, 1, false), (2, 1, false), (1, 0, false),
            (1, .max, true), (.max, .max, false), (.max, 1, false),
        ])
    func order(first: UInt64, then: UInt64, isSound: Bool) {
        var machine = opened()
        #expect(machine.request(first) == .proceed)
        #expect(machine.request(then) == (isSound ? .proceed : .violation))
        #expect(machine.highestCall == (isSound ? then : first))
    }

    @Test("Protos/README.md, Call: the first id is not 0")
    func zero() {
        var machine = opened()
        #expect(machine.request(0) == .violation)
    }

    @Test("Protos/README.md, Call: above calls_max a call is refused, and has used its id up")
    func busy() {
        var machine = running(1, 2)
        #expect(machine.request(3) == .refuseBusy)
        #expect(machine.runningCount == 2)
        #expect(machine.request(3) == .violation)
        #expect(machine.finished(1) == true)
        #expect(machine.request(4) == .proceed)
    }

    @Test("Protos/README.md, Call: a cancelled call is answered once, runs until its handler ends")
    func cancelled() {
        var machine = running(1, 2)
        let (instruction, handle) = machine.cancel(1)
        #expect(instruction == .proceed)
        #expect(handle == 1)
        #expect(machine.runningCount == 2)
        #expect(machine.request(3) == .refuseBusy)
        #expect(machine.cancel(1).0 == .ignore)
        #expect(machine.finished(1) == false)
        #expect(machine.runningCount == 1)
        #expect(machine.request(4) == .proceed)
    }

    @Test("Protos/README.md, Call: a Cancel for an ended call is ignored, for no call a violation")
    func lateCancel() {
        var machine = running(1)
        #expect(machine.cancel(0).0 == .violation)
        #expect(machine.cancel(2).0 == .violation)
        #expect(machine.finished(1) == true)
        #expect(machine.cancel(1).0 == .ignore)
    }

    @Test("Protos/README.md, Call: an Item or Credit for a call above the highest is a violation")
    func stream() {
        var machine = running(1)
        for call: UInt64 in [0, 2] {
            #expect(machine.item(call, isItem: true, isEnd: false).kind == "violation")
            #expect(machine.credit(call, 1).kind == "violation")
        }
        #expect(machine.credit(1, 1).kind == "ignore")
        #expect(machine.finished(1) == true)
        #expect(machine.item(1, isItem: true, isEnd: false).kind == "ignore")
        #expect(machine.credit(1, 1).kind == "ignore")
    }

    @Test("Protos/README.md, Call: time that is over is told once, at its very moment")
    func overdue() {
        var machine = running(1, 2)
        #expect(machine.nextDeadline == .seconds(1))
        #expect(machine.overdue(at: .milliseconds(999)).isEmpty)
        #expect(machine.overdue(at: .seconds(1)).map(\.call) == [1])
        #expect(machine.overdue(at: .seconds(1)).isEmpty)
        #expect(machine.nextDeadline == .seconds(2))
        #expect(machine.overdue(at: .milliseconds(1_999)).isEmpty)
        #expect(machine.runningCount == 2)
        #expect(machine.finished(1) == false)
        #expect(machine.finished(2) == true)
        #expect(machine.nextDeadline == nil)
    }

    @Test("a handler that returned before it could be held is not held")
    func finishedAtOnce() {
        var machine = opened()
        #expect(machine.request(1) == .proceed)
        machine.began(1, deadline: .seconds(1))
        #expect(machine.finished(1) == true)
        machine.attach(1, to: 1)
        #expect(machine.runningCount == 0)
        #expect(machine.close() == [])
    }

    @Test("Protos/README.md, Connection 4: while draining, later calls are refused")
    func draining() {
        var machine = running(1)
        #expect(machine.drain().last == 1)
        #expect(machine.phase == .draining(lastCall: 1))
        #expect(machine.request(2) == .refuseDraining)
        #expect(machine.drain().last == 2)
        #expect(machine.phase == .draining(lastCall: 1))
        #expect(machine.hello() == .violation)
        #expect(machine.finished(1) == true)
        #expect(machine.runningCount == 0)
    }

    @Test("after the close every handler is told, and no answer is wanted")
    func closed() {
        var machine = running(1, 2)
        _ = machine.cancel(1)
        #expect(machine.close() == [2])
        #expect(machine.phase == .closed)
        #expect(machine.request(3) == .ignore)
        #expect(machine.cancel(2).0 == .ignore)
        #expect(machine.finished(2) == false)
        #expect(machine.finished(1) == false)
        #expect(machine.runningCount == 0)
        #expect(machine.overdue(at: .seconds(99)).isEmpty)
        #expect(machine.close() == [])
    }

    @Test(
        "Protos/README.md, Frame: 64 frames of unknown kinds are skipped, the next is a violation")
    func unknown() {
        var machine = opened()
        #expect((0..<64).allSatisfy { _ in machine.unknownFrame() == .ignore })
        #expect(machine.unknownFrame() == .violation)
    }
}
