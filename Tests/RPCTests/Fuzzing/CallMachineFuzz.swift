import RPC

/// Any bytes as a program of events for the server's call machine, two bytes each: what happens,
/// and to which call. After each the rules hold; at the end nothing is left.
///
/// A new kind of event is a case of `Event` and its line in `CallMachineRun.take`.
package enum CallMachineFuzz {
    /// What can happen on a connection.
    enum Event: UInt8, CaseIterable {
        case hello, request, oldRequest, finish, cancel, overdue, unknown, stream, drain, close
    }

    /// What is wrong, if anything is.
    package static func finding(_ input: [UInt8]) -> String? {
        guard let first = input.first else { return nil }
        var run = CallMachineRun(callsMax: 1 + Int(first % 5))
        var rest = input.dropFirst()
        while rest.count >= 2 {
            let (kind, argument) = (rest[rest.startIndex], rest[rest.startIndex + 1])
            rest = rest.dropFirst(2)
            let events = Event.allCases
            run.take(events[Int(kind) % events.count], argument)
            if let finding = run.finding { return finding }
        }
        run.end()
        return run.finding
    }
}

/// A machine, and what must be true of it.
private struct CallMachineRun {
    private(set) var finding: String?
    private let callsMax: Int
    private var machine: ServerCallMachine<UInt64>
    /// Deadlines of the handlers that have not returned.
    private var handlers: [UInt64: Duration] = [:]
    private var answered: Set<UInt64> = []
    private var accepted: Set<UInt64> = []
    private var highest: UInt64 = 0

    init(callsMax: Int) {
        self.callsMax = callsMax
        machine = ServerCallMachine(callsMax: callsMax)
    }

    mutating func take(_ event: CallMachineFuzz.Event, _ argument: UInt8) {
        let number = UInt64(argument)
        switch event {
        case .hello: hello()
        case .request: request(highest &+ 1 &+ number % 4, argument)
        case .oldRequest: request(number, argument)
        case .finish: finish(number)
        case .cancel: cancel(number)
        case .overdue: overdue(.milliseconds(Int64(argument)))
        case .unknown: _ = machine.unknownFrame()
        case .stream: _ = machine.streamFrame(number)
        case .drain: drain()
        case .close: close()
        }
        check()
    }

    /// Lets every handler return.
    mutating func end() {
        close()
        for call in handlers.keys { finish(call) }
        require(machine.runningCount == 0, "handlers are left")
        require(machine.nextDeadline == nil, "a deadline is left")
    }

    private mutating func hello() {
        let wasAwaiting = machine.phase == .awaitingHello
        require((machine.hello() == .proceed) == wasAwaiting, "a Hello at the wrong time")
    }

    private mutating func request(_ call: UInt64, _ argument: UInt8) {
        let wasOpen = machine.phase == .open
        switch machine.request(call) {
        case .proceed:
            require(wasOpen && call > highest, "call \(call) was taken")
            require(handlers.count < callsMax, "more handlers than may run")
            let deadline = Duration.milliseconds(Int64(argument ^ 0x55))
            machine.began(call, deadline: deadline)
            machine.attach(call, to: call)
            handlers[call] = deadline
            accepted.insert(call)
        case .refuseBusy, .refuseDraining: answer(call)
        case .ignore: require(machine.phase == .closed, "call \(call) was dropped")
        case .violation:
            require(call <= highest || machine.phase == .awaitingHello, "\(call) was no violation")
        }
        highest = max(highest, machine.highestCall)
    }

    private mutating func finish(_ call: UInt64) {
        guard handlers.removeValue(forKey: call) != nil else { return }  // a handler returns once
        if machine.finished(call) { answer(call) }
    }

    private mutating func cancel(_ call: UInt64) {
        let (instruction, handle) = machine.cancel(call)
        guard instruction == .proceed else { return }
        require(handlers[call] != nil && handle == call, "call \(call) was cancelled")
        answer(call)
    }

    private mutating func overdue(_ uptime: Duration) {
        for (call, handle) in machine.overdue(at: uptime) {
            require(handle == call, "another handler was told")
            require(handlers[call].map { $0 <= uptime } ?? false, "call \(call) had time")
            answer(call)
        }
    }

    private mutating func drain() {
        require(machine.drain() == machine.highestCall, "the last call is another")
    }

    private mutating func close() {
        for call in machine.close() { require(handlers[call] != nil, "\(call) was told twice") }
    }

    private mutating func answer(_ call: UInt64) {
        require(machine.phase != .closed, "call \(call) was answered after the end")
        require(answered.insert(call).inserted, "call \(call) was answered twice")
    }

    private mutating func check() {
        require(machine.runningCount == handlers.count, "handlers are miscounted")
        require(machine.highestCall >= highest, "ids went back")
        require(accepted.isSuperset(of: handlers.keys), "a handler of no call")
    }

    private mutating func require(_ holds: Bool, _ complaint: String) {
        if !holds, finding == nil { finding = complaint }
    }
}
