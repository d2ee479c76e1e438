import Cryptography
package import Storage

extension SessionKeys {
    /// For each of the oldest refresh token keys, whether these keys open it (`Store.requireKey`).
    /// - Throws: `SQLError`.
    package func openOldest(in session: any SQLSession, limit: Int64) throws -> [Bool] {
        try session.tokenKeys().sorted { $0.madeAt < $1.madeAt }.prefix(Int(limit)).map {
            tokenKeys.opens($0.sealed, at: .tokenKey($0.id))
        }
    }
}
