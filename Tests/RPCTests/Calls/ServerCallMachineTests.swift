import Testing

@testable import RPC

@Suite("A server's calls on a connection, step by step")
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

    @Test("Protos/README.md, Connection 2: any other frame before Hello is a violation")
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

    @Test("X-03: calls that are ended are answered once, and count until their handlers return")
    func ended() {
        var machine = running(1, 2)
        let ended = machine.end { $0 == 2 }
        #expect(ended.map(\.call) == [2])
        let again = machine.end { $0 == 2 }
        #expect(again.isEmpty)
        #expect(machine.runningCount == 2)
        let needsResponse = [machine.finished(2), machine.finished(1)]
        #expect(needsResponse == [false, true])
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

    @Test("Protos/README.md, Call: id 0 is a violation")
    func zero() {
        var machine = opened()
        #expect(machine.request(0) == .violation)
    }

    @Test("Protos/README.md, Call: a call above calls_max is rejected and its id is used up")
    func busy() {
        var machine = running(1, 2)
        #expect(machine.request(3) == .refuseBusy)
        #expect(machine.runningCount == 2)
        #expect(machine.request(3) == .violation)
        #expect(machine.finished(1) == true)
        #expect(machine.request(4) == .proceed)
    }

    @Test(
        "Protos/README.md, Call: a Cancel is answered once; the call counts until its handler ends")
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

    @Test("Protos/README.md, Call: Cancel is ignored for an ended call, a violation for no call")
    func lateCancel() {
        var machine = running(1)
        #expect(machine.cancel(0).0 == .violation)
        #expect(machine.cancel(2).0 == .violation)
        #expect(machine.finished(1) == true)
        #expect(machine.cancel(1).0 == .ignore)
    }

    @Test(
        "Protos/README.md, Call: an Item or Credit for a call above the highest id is a violation")
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

    @Test("Protos/README.md, Call: an expired call is reported once, exactly at its deadline")
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

    @Test("a handler that returns before it is attached is not attached")
    func finishedAtOnce() {
        var machine = opened()
        #expect(machine.request(1) == .proceed)
        machine.began(1, deadline: .seconds(1))
        #expect(machine.finished(1) == true)
        machine.attach(1, to: 1)
        #expect(machine.runningCount == 0)
        #expect(machine.close() == [])
    }

    @Test("Protos/README.md, Connection 4: while draining, later calls are rejected")
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

    @Test("after the close every running handler is cancelled and no Response is sent")
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
