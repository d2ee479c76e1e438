import HTTPTypes
import NIOHTTP1
import RPC
import ServiceRuntime

@testable import WebService

/// Any head of a request: it is refused, or it names one allowed host, one path and at most one
/// length, and its fields cannot choose who calls the gateway. Its content type, its timeouts and
/// its query can be read or are refused.
///
/// The input is text: the request's line, then a line for each field.
package enum RequestHeadFuzz {
    private static let host = "auth.example.org"
    private static let hosts = AllowedHosts(origins: ["https://\(host)"], port: 7_480)
    private static let address = "203.0.113.9"
    private static let keys: Set<String> = [
        "idempotency-key", "traceparent", "accept-language", "authorization", "client-address",
        "client-agent", "application-token",
    ]
    /// A unary method, and a stream.
    private static let methods: [CallMethod] = {
        // `finding` reports missing methods.
        let all = try? CallMethods(isServing: { true }, time: SystemTime())
        return ["GetKeySet", "WatchRevocations"].compactMap {
            all?["postern.gateway.v1.Verification/\($0)"]
        }
    }()

    /// A description of what is wrong, or nil.
    package static func finding(_ input: [UInt8]) -> String? {
        guard methods.count == 2 else { return "the methods of Verification" }
        let head: HTTPRequest
        do {
            head = try RequestHeadRule.checked(
                RequestHeadRule.request(self.head(input), isTLS: true), hosts: hosts, isTLS: true)
        } catch {
            return (400..<600).contains(error.status.code) ? nil : "refused with \(error.status)"
        }
        return framing(head) ?? metadata(head) ?? negotiation(head)
    }

    private static func head(_ input: [UInt8]) -> HTTPRequestHead {
        let lines = String(decoding: input, as: UTF8.self).split(
            separator: "\n", omittingEmptySubsequences: false)
        let words = (lines.first ?? "").split(separator: " ", omittingEmptySubsequences: false)
        var headers = HTTPHeaders()
        for line in lines.dropFirst() {
            let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            // The parser passes no other names on, and `HTTPHeaders` stops the program at them.
            guard parts.count == 2, parts[0].utf8.allSatisfy({ $0 < 0x80 }) else { continue }
            headers.add(name: String(parts[0]), value: String(parts[1].drop { $0 == " " }))
        }
        return HTTPRequestHead(
            version: .http1_1, method: HTTPMethod(rawValue: words.first.map(String.init) ?? ""),
            uri: words.count > 1 ? String(words[1]) : "", headers: headers)
    }

    private static func framing(_ head: HTTPRequest) -> String? {
        guard let authority = head.authority?.lowercased(),
            [host, "\(host):443"].contains(authority)
        else { return "the host \(head.authority ?? "none")" }
        guard let path = head.path, path.hasPrefix("/") || path == "*" else {
            return "the path \(head.path ?? "none")"
        }
        let lengths = head.headerFields[fields: .contentLength].count
        let codings = head.headerFields[fields: .transferEncoding].count
        return lengths + codings <= 1 ? nil : "\(lengths) lengths and \(codings) codings"
    }

    private static func metadata(_ head: HTTPRequest) -> String? {
        let caller = WebCaller(
            app: nil, applicationToken: nil, clientAddress: address, responseFields: [:],
            isPlainLoopback: false, bodyHash: nil)
        let metadata = Metadata(of: head.headerFields, from: caller)
        let names = metadata.entries.map(\.key)
        guard Set(names).isSubset(of: keys), Set(names).count == names.count else {
            return "metadata \(names)"
        }
        guard metadata["client-address"] == address, metadata["application-token"] == nil,
            metadata["app"] == nil
        else {
            return "the request's fields name the caller"
        }
        return nil
    }

    private static func negotiation(_ head: HTTPRequest) -> String? {
        let query = head.path?.split(separator: "?", maxSplits: 1).dropFirst().first ?? ""
        // What cannot be read is refused, which is a valid result here.
        _ = try? CallQuery(query)
        for method in [methods[0], methods[1], nil] {
            guard let format = try? CallFormat(negotiating: head, isHTTP2: true, method) else {
                continue  // refused
            }
            guard (try? format.checkFields(head.headerFields)) != nil,
                let timeout = try? format.timeout(head.headerFields)
            else { continue }  // refused
            guard timeout >= .zero else { return "a timeout of \(timeout)" }
        }
        return nil
    }
}
