import NIOCore
import NIOPosix
import NIOSSL
import Synchronization

/// A small mail server on loopback for tests: records its mails, and can refuse, stall, drop,
/// greylist, demand TLS and a login, and speak slowly, where its script says so.
package final class SMTPSink: Sendable {
    private struct State {
        var script: Script
        var mails: [Mail] = []
        var mailCount = 0
        var commands: [String] = []
        var connections = 0
        var seen: Set<String> = []
        var watchers: [(isMet: @Sendable (State) -> Bool, CheckedContinuation<Void, Never>)] = []

        /// Removes the watchers whose condition is met.
        mutating func takeMet() -> [CheckedContinuation<Void, Never>] {
            guard !watchers.isEmpty else { return [] }
            let met = watchers.filter { $0.isMet(self) }.map(\.1)
            watchers = watchers.filter { !$0.isMet(self) }
            return met
        }
    }

    /// Shared by all sinks of a process, and never shut down: it ends with the process.
    private static let group = MultiThreadedEventLoopGroup(numberOfThreads: 2)
    /// The largest number of recorded commands; a run of thousands of mails needs no more.
    private static let commandsMax = 10_000

    /// The port that the system picked.
    package let port: UInt16
    private let listener: any Channel
    private let children: Children
    private let state: Mutex<State>

    /// Listens on 127.0.0.1.
    package init(_ script: Script = Script()) throws {
        let owner = Owner()
        let children = Children()
        listener = try ServerBootstrap(group: Self.group)
            .serverChannelOption(.backlog, value: 1_024)
            .childChannelInitializer { channel in
                children.add(channel)
                return channel.eventLoop.makeCompletedFuture { try owner.sink?.prepare(channel) }
            }
            .bind(host: "127.0.0.1", port: 0).wait()
        guard let port = listener.localAddress?.port else { throw SinkFailure() }
        self.port = UInt16(clamping: port)
        self.children = children
        state = Mutex(State(script: script))
        owner.hold(self)
    }

    deinit {
        listener.close(promise: nil)
        children.closeAll()
    }

    /// How it behaves from the next command on.
    package var script: Script {
        get { state.withLock { $0.script } }
        set { state.withLock { $0.script = newValue } }
    }

    /// The mails whose last byte has come in, answered or not.
    package var mails: [Mail] { state.withLock { $0.mails } }

    /// How many mails have come in whole.
    package var mailCount: Int { state.withLock { $0.mailCount } }

    /// Every command line, in order.
    package var commands: [String] { state.withLock { $0.commands } }

    /// How many connections have been accepted.
    package var connections: Int { state.withLock { $0.connections } }

    /// Returns once `count` connections have been accepted.
    package func reached(connections count: Int) async { await until { $0.connections >= count } }

    /// Returns once `count` mails have come in whole.
    package func reached(mails count: Int) async { await until { $0.mailCount >= count } }

    private func until(_ isMet: @escaping @Sendable (State) -> Bool) async {
        await withCheckedContinuation { continuation in
            change { $0.watchers.append((isMet, continuation)) }
        }
    }

    private func change<Value: Sendable>(_ body: @Sendable (inout State) -> Value) -> Value {
        let (value, met) = state.withLock { state in
            let value = body(&state)
            return (value, state.takeMet())
        }
        for watcher in met { watcher.resume() }
        return value
    }

    /// Stops listening, for certain when this returns, and hangs up on everybody.
    package func close() {
        // A sink that is closed already is closed.
        try? listener.close().wait()
        children.closeAll()
    }

    // MARK: Reports of a connection

    private func prepare(_ channel: any Channel) throws {
        let script = script
        let pipeline = channel.pipeline.syncOperations
        if script.isTLSImplicit, let tls = script.tls {
            try pipeline.addHandler(NIOSSLServerHandler(context: tls))
        }
        try pipeline.addHandler(SinkHandler(self, isEncrypted: script.isTLSImplicit))
    }

    func recordConnection() { change { $0.connections += 1 } }

    func recordCommand(_ line: String) -> Script {
        state.withLock { state in
            if state.commands.count < Self.commandsMax { state.commands.append(line) }
            return state.script
        }
    }

    func record(_ mail: Mail) -> Script {
        change { state in
            state.mailCount += 1
            if state.script.storesMails { state.mails.append(mail) }
            return state.script
        }
    }

    /// Whether this pair of sender and recipient is here for the first time.
    func isNew(_ mail: Mail) -> Bool {
        state.withLock { $0.seen.insert("\(mail.from) \(mail.to)").inserted }
    }
}

/// The sink had no port.
package struct SinkFailure: Error {}

/// Leads connections to their sink without keeping it alive.
private final class Owner: Sendable {
    private struct Reference {
        weak var sink: SMTPSink?
    }

    private let reference = Mutex(Reference())

    var sink: SMTPSink? { reference.withLock { $0.sink } }

    func hold(_ sink: SMTPSink) { reference.withLock { $0.sink = sink } }
}

/// The connections that stand.
private final class Children: Sendable {
    private let channels = Mutex<[ObjectIdentifier: any Channel]>([:])

    func add(_ channel: any Channel) {
        let id = ObjectIdentifier(channel)
        channels.withLock { $0[id] = channel }
        channel.closeFuture.whenComplete { _ in
            self.channels.withLock { _ = $0.removeValue(forKey: id) }
        }
    }

    func closeAll() {
        for channel in channels.withLock({ Array($0.values) }) { channel.close(promise: nil) }
    }
}
