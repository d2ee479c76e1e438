import Addresses
import NIOCore
import ServiceRuntime
import Synchronization

/// The memory of bodies that arrive, as pure state. It is counted in bytes and not in bodies: who
/// sends slowly holds little, and takes no place of one who sends at once.
///
/// When it is full, the largest body of the site that holds most ends; if that is the site of the
/// body that grows, that one ends.
struct BodyBytes<Value> {
    /// A body that arrives.
    struct ID: Hashable, Sendable {
        fileprivate let number: UInt64
    }

    fileprivate struct Body {
        let value: Value
        let site: ClientNetwork?
        var bytes = 0
    }

    private let bytesMax: Int
    private var lastNumber: UInt64 = 0
    private var bodies: [ID: Body] = [:]
    /// Bytes of all bodies.
    private(set) var bytes = 0

    init(bytesMax: Int) {
        self.bytesMax = bytesMax
    }

    /// A body begins, which has no bytes yet.
    mutating func begin(_ value: Value, from client: ClientNetwork?) -> ID {
        lastNumber += 1
        let id = ID(number: lastNumber)
        bodies[id] = Body(value: value, site: client?.site)
        return id
    }

    /// More bytes of a body have arrived.
    /// - Returns: the bodies that must end for them, which have left already; nil if this one must
    ///   end, or has ended.
    mutating func add(_ count: Int, to id: ID) -> [Value]? {
        guard let site = bodies[id].map(\.site) else { return nil }
        var ending: [Value] = []
        while bytes + count > bytesMax {
            guard let largest = largest(beside: site, count) else { return nil }
            if let value = bodies[largest]?.value { ending.append(value) }
            end(largest)
        }
        bodies[id]?.bytes += count
        bytes += count
        return ending
    }

    /// The body is complete, or has ended.
    mutating func end(_ id: ID) { bytes -= bodies.removeValue(forKey: id)?.bytes ?? 0 }

    /// The largest body of the site that holds most, if that is more than `site` would hold with
    /// `count` bytes more.
    private func largest(beside site: ClientNetwork?, _ count: Int) -> ID? {
        var sums: [ClientNetwork?: Int] = [site: count]
        for body in bodies.values { sums[body.site, default: 0] += body.bytes }
        guard let most = sums.values.max(), most > sums[site] ?? 0 else { return nil }
        return bodies.filter { sums[$1.site] == most }
            .max { ($0.value.bytes, $1.key.number) < ($1.value.bytes, $0.key.number) }?.key
    }
}

extension BodyBytes: Sendable where Value: Sendable {}
extension BodyBytes.Body: Sendable where Value: Sendable {}

/// Reads bodies within a bound on the memory of all of them.
final class ArrivingBodies: Sendable {
    private let bodies: Mutex<BodyBytes<HTTPExchange>>

    init(bytesMax: Int) {
        bodies = Mutex(BodyBytes(bytesMax: bytesMax))
    }

    /// The whole body of a request.
    /// - Throws: `rpc/resource-exhausted` when no memory is left for it; as
    ///   `HTTPExchange.body(bytesMax:)`.
    func body(
        of exchange: HTTPExchange, from client: ClientAddress, bytesMax: Int
    ) async throws -> ByteBuffer {
        let id = bodies.withLock { $0.begin(exchange, from: ClientNetwork(client)) }
        defer { bodies.withLock { $0.end(id) } }
        return try await exchange.body(bytesMax: bytesMax) { count in
            guard let ending = bodies.withLock({ $0.add(count, to: id) }) else {
                throw ServiceError(.resourceExhausted, notProcessed: true)
            }
            for other in ending { other.endForAnother() }
        }
    }
}
