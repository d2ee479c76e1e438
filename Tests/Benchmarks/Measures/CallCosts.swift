import ArgumentParser
import FoundationEssentials
import Glibc
import Messages
import PublicCalls
import RPC
import ServiceRuntime
import TestSupport

/// What a call of each public method costs with its fields at their bounds: CPU time of each
/// program and time of the writers, with what a call leaves to be done after its response. Calls are
/// made one after the other: those that apps make by the web service, others at the gateway.
struct CallCosts: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "costs")

    @Option(help: "The tool `postern`; the programs are in its folder.")
    var postern: String
    @Option(help: "A folder on the disk to measure; its contents are lost.")
    var folder: String
    @Option(help: "Calls of each request, 15 at most.")
    var calls = 10
    @Option(help: "Only requests whose names contain this.")
    var only = ""
    @Option(help: "Begin with the first request whose name contains this.")
    var from = ""

    func run() async throws {
        let stage = try await CallStage()
        try Data(CallStage.noLimits.utf8).write(to: URL(filePath: "\(folder)/limits.yaml"))
        let settings = stage.environment.merging(["POSTERN_LIMITS_FILE": "\(folder)/limits.yaml"]) {
            own, _ in own
        }
        let programs = try await RunningPrograms(
            postern: postern, folder: folder, settings: settings, withWeb: true)
        do {
            try await measure(programs, stage)
        } catch {
            await programs.stop()
            throw error
        }
        await programs.stop()
        await stage.close()
    }

    private func measure(_ programs: RunningPrograms, _ stage: CallStage) async throws {
        for arguments in CallStage.applications {
            let added = try SystemCommand(
                postern, arguments + ["--data", programs.data], withErrors: true)
            guard added.exitCode == 0 else { throw ValidationError(added.said) }
        }
        let web = try WebCalls(
            endpoints: RunningPrograms.text("\(programs.data)/endpoints.json"),
            port: programs.ports(of: "web").calls)
        let callers = try LiveCallers(
            stage, gateway: "127.0.0.1:\(programs.ports(of: "gateway").calls)",
            keys: "\(programs.data)/keys/applications", audience: web.url)
        defer { callers.close() }
        try await callers.untilKnown()
        var measure = CostMeasure(
            programs: programs, callers: callers, web: web, calls: min(calls, 15))
        try await measure.begin()
        print(CostMeasure.head)
        let rest = PublicCalls.all.drop { !from.isEmpty && !$0.name.contains(from) }
        for call in rest where only.isEmpty || call.name.contains(only) {
            print(try await measure.row(of: call))
            fflush(nil)
        }
    }
}

/// Measures one request after the other.
private struct CostMeasure {
    let programs: RunningPrograms
    let callers: LiveCallers
    let web: WebCalls
    let calls: Int
    /// The next caller.
    private var number = 1
    /// CPU seconds of each program in a second without calls.
    private var idle: [String: Double] = [:]

    init(programs: RunningPrograms, callers: LiveCallers, web: WebCalls, calls: Int) {
        self.programs = programs
        self.callers = callers
        self.web = web
        self.calls = calls
    }

    private static let columns = [
        "web", "gateway", "identity", "session", "rate-limit", "notification",
    ]
    private static let writers = ["identity", "session", "notification", "rate-limit"]

    /// The head of the table.
    static let head = """
        | method | outcome | \(columns.joined(separator: " | ")) | all | \
        \(writers.map { "\($0)'s writer" }.joined(separator: " | ")) | request | response |
        |---|---|\(String(repeating: "---:|", count: columns.count + writers.count + 3))
        """

    /// Measures the programs without calls.
    mutating func begin() async throws {
        try await settle()
        let before = try ProgramCosts(before: programs)
        try await Task.sleep(for: .seconds(3))
        idle = try ProgramCosts(after: programs).since(before).processor.mapValues { $0 / 3 }
    }

    /// A call that is ready to be made.
    private struct Ready {
        let caller: LiveCaller
        let number: Int
        let messages: [[UInt8]]
        let context: CallContext
    }

    /// Prepares the calls, makes them, and waits until the programs have done what they leave.
    mutating func row(of call: PublicCall) async throws -> String {
        let ready: [Ready]
        do {
            ready = try await prepare(call)
        } catch {
            return "| \(call.name) | not prepared: \(error) |"
        }
        try await settle()
        let (before, begun) = (try ProgramCosts(before: programs), ContinuousClock.now)
        var (outcomes, bytes) = (Set<String>(), 0)
        for one in ready {
            let (outcome, received) = await send(call, one)
            outcomes.insert(outcome)
            bytes += received
        }
        try await settle()
        let took = (ContinuousClock.now - begun) / .seconds(1)
        let costs = try ProgramCosts(after: programs).since(before)
        let sent = ready[0].messages.reduce(0) { $0 + $1.count }
        return line(
            call, outcomes.sorted().joined(separator: ", "), costs, took,
            [sent, bytes / ready.count].map { "\($0)" })
    }

    private mutating func prepare(_ call: PublicCall) async throws -> [Ready] {
        var ready: [Ready] = []
        var caller = try callers.caller(number)
        for index in 0..<calls {
            if call.isOnce || index == 0 {
                caller = try callers.caller(number)
                number += 1
            }
            ready.append(
                Ready(
                    caller: caller, number: index,
                    messages: try await call.messages(caller, index).map { $0.encoded() },
                    context: try await caller.context(call, index, timeout: .seconds(600))))
        }
        return ready
    }

    private func send(_ call: PublicCall, _ one: Ready) async -> (String, Int) {
        do {
            if call.method.isPublic {
                return try web.send(
                    call.method, one.messages, one.context, number: one.caller.number)
            }
            let client = callers.client(call.caller.application)
            let answers = try await LiveCallers.send(
                call.method, one.messages, by: client, one.context)
            return ("ok", answers.reduce(0) { $0 + $1.count })
        } catch let error as ServiceError {
            return (error.code.rawValue, 0)
        } catch {
            return ("\(error)", 0)
        }
    }

    /// Waits until background work, for example mails, is done: at most 20 s.
    private func settle() async throws {
        let due = ContinuousClock.now + .seconds(20)
        var before = try programs.processorTime().values.reduce(0, +)
        var quiet = 0
        while quiet < 3, ContinuousClock.now < due {
            try await Task.sleep(for: .milliseconds(100))
            let now = try programs.processorTime().values.reduce(0, +)
            quiet = now - before < 0.015 ? quiet + 1 : 0
            before = now
        }
    }

    private func line(
        _ call: PublicCall, _ outcome: String, _ costs: ProgramCosts, _ took: Double,
        _ bytes: [String]
    ) -> String {
        let times = Self.columns.map { name in
            ((costs.processor[name] ?? 0) - (idle[name] ?? 0) * took) / Double(calls)
        }
        let writers = Self.writers.map { (costs.writer[$0] ?? 0) / Double(calls) }
        let figures = (times + [times.reduce(0, +)] + writers).map(Self.milliseconds)
        let cells = [call.name, outcome] + figures + bytes
        return "| \(cells.joined(separator: " | ")) |"
    }

    private static func milliseconds(_ seconds: Double) -> String {
        let hundredths = Int((max(0, seconds) * 100_000).rounded())
        return "\(hundredths / 100).\(hundredths % 100 / 10)\(hundredths % 10)"
    }
}
