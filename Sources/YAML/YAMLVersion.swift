internal import CYAML

/// The version of the libyaml in use, such as "0.2.5".
package var yamlVersionText: String { String(cString: yaml_get_version_string()) }
