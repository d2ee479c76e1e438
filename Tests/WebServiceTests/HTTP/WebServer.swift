import Addresses
import Cryptography
import HTTPTypes
import NIOCore
import NIOPosix
import RPC
import ServiceRuntime
import Synchronization
import TestSupport

@testable import WebService

/// A listener of a test on a port that the system chooses, with clients in the same process.
struct WebServer: Sendable {
    let group: MultiThreadedEventLoopGroup
    let listener: WebListener
    let answers: Answers
    let log: CapturedLog
    let metrics: MetricsRegistry

    /// The host that requests name.
    var host: String { "localhost:\(listener.port)" }

    /// - Parameter loops: The server's event loops; each has its share of the limits.
    static func run(
        tls: ServerTLS? = nil, loops: Int = 2,
        _ change: (inout WebListenerSettings) -> Void = { _ in },
        body: (WebServer) async throws -> Void
    ) async throws {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: loops)
        do {
            let server = try await start(tls, change, group)
            try await body(server)
            server.answers.proceeds.raise()
            await server.listener.drain()
        } catch {
            try await group.shutdownGracefully()
            throw error
        }
        try await group.shutdownGracefully()
    }

    private static func start(
        _ tls: ServerTLS?, _ change: (inout WebListenerSettings) -> Void,
        _ group: MultiThreadedEventLoopGroup
    ) async throws -> WebServer {
        var settings = WebListenerSettings(host: "127.0.0.1", port: 0)
        settings.limits.checkInterval = .milliseconds(10)
        settings.limits.drainTimeout = .milliseconds(500)
        settings.limits.lingerTimeout = .milliseconds(200)
        change(&settings)
        let (answers, log) = (Answers(), CapturedLog())
        let (metrics, observation) = (MetricsRegistry(prefix: ""), WebObservation())
        metrics.add(observation)
        let listener = try await WebListener.start(
            settings, tls: tls, group: group, time: SystemTime(), randomness: SecureRandomness(),
            logger: log.logger(), observation: observation
        ) { try await answers.answer($0) }
        return WebServer(
            group: group, listener: listener, answers: answers, log: log, metrics: metrics)
    }

    /// A request of HTTP/1.1.
    func request(
        _ method: String, _ path: String, _ fields: String = "", _ body: String = ""
    ) -> String {
        "\(method) \(path) HTTP/1.1\r\nhost: \(host)\r\n\(fields)\r\n\(body)"
    }

    /// The head of a request of HTTP/2.
    func post(_ path: String) -> HTTPRequest {
        HTTPRequest(method: .post, scheme: "http", authority: host, path: path)
    }

    /// The value of a metric.
    func metric(_ series: String) -> Int {
        let line = metrics.prometheusText().split(separator: "\n")
            .first { $0.hasPrefix(series + " ") }
        return line.flatMap { Int($0.dropFirst(series.count + 1)) } ?? -1
    }

    /// A certificate for `localhost`, and its authority.
    static func certificate() throws -> (TestAuthority, ServerTLS) {
        let now = SystemTime().now()
        let authority = try TestAuthority(now: now)
        let folder = try TemporaryFolder()
        let files = try authority.issue([.dns("localhost")]).write(to: folder, as: "server")
        let tls = try withExtendedLifetime(folder) {
            try ServerTLS(
                ServerTLSFiles(
                    certificate: CertificateFiles(chain: files.chain, key: files.key), roots: nil),
                speaking: .http, now: now)
        }
        return (authority, tls)
    }
}

/// The responder of a test's listener.
final class Answers: Sendable {
    /// Lets requests for `/wait` and `/late` proceed.
    let proceeds = Flag()
    /// A task was cancelled.
    let cancelled = Flag()
    /// Parts that `/flood` has written, and bytes that `/late` has taken.
    let written = Mutex(0)
    let taken = Mutex(0)
    /// Requests that were answered or wait.
    let begun = Mutex(0)

    static let floodParts = 1_024
    static let floodPart = ByteBuffer(repeating: 0x61, count: 64 * 1024)

    /// More than the sockets hold.
    static let hugeBytes = 16 * 1024 * 1024

    private struct Unknown: Error {}

    func answer(_ exchange: HTTPExchange) async throws {
        begun.withLock { $0 += 1 }
        let path = exchange.head.path ?? ""
        switch path {
        case "/echo":
            exchange.respond(
                HTTPResponse(status: .ok), try await exchange.body(bytesMax: 128 * 1024))
        case "/who": who(exchange)
        case "/early": exchange.respond(HTTPResponse(status: .forbidden))
        case "/stream": try await stream(exchange)
        case "/large": exchange.respond(HTTPResponse(status: .ok), Self.floodPart)
        case "/huge":
            exchange.respond(
                HTTPResponse(status: .ok), ByteBuffer(repeating: 0x61, count: Self.hugeBytes))
        case "/refuse": throw HTTPFailure(.conflict, "already there")
        case "/crash": throw Unknown()
        case "/nothing": break
        case "/half":
            exchange.begin(HTTPResponse(status: .ok))
            try await exchange.write(ByteBuffer(string: "half"))
            throw Unknown()
        case "/wait": try await wait(exchange)
        case "/watch": try await watch(exchange)
        case "/flood": try await flood(exchange)
        case "/deadline":
            exchange.limitResponseTime(until: SystemTime().uptime() + .milliseconds(200))
            try await flood(exchange)
        case "/late": try await late(exchange)
        default: exchange.respond(HTTPResponse(status: .ok), ByteBuffer(string: path))
        }
    }

    private func who(_ exchange: HTTPExchange) {
        let client = exchange.client
        let text =
            "\(client.peer.networkText(v6: 16, v4: 4)) \(client.isFromTrustedProxy) "
            + "\(client.isTLS) \(client.isHTTP2)"
        exchange.respond(HTTPResponse(status: .ok), ByteBuffer(string: text))
    }

    private func stream(_ exchange: HTTPExchange) async throws {
        exchange.begin(HTTPResponse(status: .ok))
        for part in ["one", "two"] { try await exchange.write(ByteBuffer(string: part)) }
        var trailers = HTTPFields()
        if let name = HTTPField.Name("x-end") { trailers[name] = "done" }
        exchange.end(trailers)
    }

    private func wait(_ exchange: HTTPExchange) async throws {
        do {
            _ = try await eventually { proceeds.isRaised }
        } catch {
            cancelled.raise()
            throw error
        }
        exchange.respond(HTTPResponse(status: .ok), ByteBuffer(string: "waited"))
    }

    /// As a stream of an app, until its client leaves or it ends for another one.
    private func watch(_ exchange: HTTPExchange) async throws {
        let places = exchange.streams.places(
            of: WebCaller(
                app: AppsFixture.web, applicationToken: nil, clientAddress: "",
                responseFields: [:], isPlainLoopback: true, bodyHash: nil),
            hasRequestItems: false)
        guard
            let place = places.take(
                exchange, from: exchange.client.peer, endableSince: SystemTime().uptime())
        else { throw HTTPFailure(.tooManyRequests, "too many streams") }
        defer { places.give(place) }
        exchange.begin(HTTPResponse(status: .ok))
        try await exchange.write(ByteBuffer(string: "watching"))
        try await Task.sleep(for: .seconds(60))
    }

    private func flood(_ exchange: HTTPExchange) async throws {
        exchange.begin(HTTPResponse(status: .ok))
        do {
            for _ in 0..<Self.floodParts {
                try await exchange.write(Self.floodPart)
                written.withLock { $0 += 1 }
            }
        } catch {
            cancelled.raise()
            throw error
        }
        exchange.end()
    }

    private func late(_ exchange: HTTPExchange) async throws {
        _ = try await eventually { proceeds.isRaised }
        while let part = try await exchange.nextBodyPart() {
            taken.withLock { $0 += part.readableBytes }
        }
        exchange.respond(HTTPResponse(status: .ok), ByteBuffer(string: "took all"))
    }
}
