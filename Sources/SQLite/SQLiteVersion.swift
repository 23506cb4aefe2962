internal import CSQLite

/// The version of the SQLite in use, such as "3.40.1".
package var sqliteVersionText: String { String(cString: sqlite3_libversion()) }
