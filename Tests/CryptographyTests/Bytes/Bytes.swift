@testable import Cryptography

/// Bytes from hexadecimal text with spaces, as RFCs print them; empty for other text.
func bytes(_ hex: String) -> [UInt8] {
    Hex.decode(hex.utf8.filter { $0 != UInt8(ascii: " ") && $0 != UInt8(ascii: "\n") }) ?? []
}

/// A secret from hexadecimal text.
func secret(_ hex: String) -> SecretBytes {
    SecretBytes(copying: bytes(hex))
}

/// A secret from plain text.
func secret(text: String) -> SecretBytes {
    SecretBytes(copying: text.utf8)
}
