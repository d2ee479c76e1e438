import Glibc
import ServiceRuntime

/// A parsed metrics page in Prometheus' text format.
struct MetricsText {
    /// One series at one time.
    struct Sample: Equatable {
        var labels: [String: String] = [:]
        var value: Double
    }

    private var families: [String: [Sample]] = [:]

    /// Parses the page; a line that it cannot parse is skipped, since a page may contain series
    /// that the tool does not know.
    init(_ text: String) {
        for line in text.split(whereSeparator: \.isNewline) where line.first != "#" {
            guard let (name, sample) = Self.sample(line) else { continue }
            families[name, default: []].append(sample)
        }
    }

    /// The series of `name`.
    func samples(_ name: String) -> [Sample] { families[name] ?? [] }

    /// The sum of the series of `name`; nil if there are none.
    func sum(_ name: String) -> Double? {
        families[name].map { $0.reduce(0) { $0 + $1.value } }
    }

    /// `name{label="value",…} number`
    private static func sample(_ line: Substring) -> (String, Sample)? {
        guard let space = line.lastIndex(of: " "),
            let value = Double(line[line.index(after: space)...])
        else { return nil }
        let series = line[..<space]
        guard let brace = series.firstIndex(of: "{") else {
            return (String(series), Sample(value: value))
        }
        guard series.last == "}",
            let labels = labels(series[series.index(after: brace)...].dropLast())
        else { return nil }
        return (String(series[..<brace]), Sample(labels: labels, value: value))
    }

    private static func labels(_ text: Substring) -> [String: String]? {
        var labels: [String: String] = [:]
        var rest = text
        while !rest.isEmpty {
            guard let equals = rest.firstIndex(of: "=") else { return nil }
            let name = String(rest[..<equals])
            rest = rest[rest.index(after: equals)...]
            guard rest.popFirst() == "\"", let value = quoted(&rest) else { return nil }
            labels[name] = value
            if rest.first == "," { rest.removeFirst() }
        }
        return labels
    }

    /// The text up to the closing quote, which is consumed too, without escapes.
    private static func quoted(_ rest: inout Substring) -> String? {
        var value = ""
        while let character = rest.popFirst() {
            switch character {
            case "\"": return value
            case "\\":
                guard let escaped = rest.popFirst() else { return nil }
                value.append(escaped == "n" ? "\n" : escaped)
            default: value.append(character)
            }
        }
        return nil
    }
}

// MARK: Reading the page over HTTP

extension MetricsText {
    /// Timeout for the connection and for each read.
    private static let timeoutMicroseconds = 700_000
    private static let bytesMax = 4 * 1_024 * 1_024

    /// The page of a program; nil if there is no response.
    static func read(_ address: ServiceAddress) -> MetricsText? {
        guard let (status, text) = response(address, "/metrics"), status == "200" else {
            return nil
        }
        return MetricsText(text)
    }

    /// The readiness of a program, one line: `serving`, `not serving`, …; nil if there is no
    /// response.
    static func readiness(_ address: ServiceAddress) -> String? {
        response(address, "/readyz").map {
            $0.body.split(separator: "\n").first.map(String.init) ?? ""
        }
    }

    /// The response to a GET. Blocks for a short time: all programs are on this machine, and are
    /// queried concurrently.
    private static func response(
        _ address: ServiceAddress, _ path: String
    ) -> (status: String, body: String)? {
        guard let socket = connected(address) else { return nil }
        defer { close(socket) }
        let request = Array(
            "GET \(path) HTTP/1.1\r\nhost: \(address.host)\r\nconnection: close\r\n\r\n".utf8)
        guard send(socket, request, request.count, Int32(MSG_NOSIGNAL)) == request.count else {
            return nil
        }
        var answer: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 65_536)
        while case let count = recv(socket, &chunk, chunk.count, 0), count != 0 {
            guard count > 0, answer.count < bytesMax else { return nil }
            answer += chunk[..<count]
        }
        let text = String(decoding: answer, as: UTF8.self)
        guard text.hasPrefix("HTTP/1.1 "), let end = text.firstRange(of: "\r\n\r\n") else {
            return nil
        }
        return (String(text.dropFirst(9).prefix(3)), String(text[end.upperBound...]))
    }

    private static func connected(_ address: ServiceAddress) -> Int32? {
        var hints = addrinfo()
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var found: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(address.host, String(address.port), &hints, &found) == 0, let found
        else { return nil }
        defer { freeaddrinfo(found) }
        let socket = socket(found.pointee.ai_family, found.pointee.ai_socktype, 0)
        guard socket >= 0 else { return nil }
        // Linux applies the send timeout to connecting too (socket(7)).
        var wait = timeval(tv_sec: 0, tv_usec: timeoutMicroseconds)
        let size = socklen_t(MemoryLayout<timeval>.size)
        setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &wait, size)
        setsockopt(socket, SOL_SOCKET, SO_SNDTIMEO, &wait, size)
        guard connect(socket, found.pointee.ai_addr, found.pointee.ai_addrlen) == 0 else {
            close(socket)
            return nil
        }
        return socket
    }
}
